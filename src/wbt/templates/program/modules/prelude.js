// SPDX-License-Identifier: Apache-2.0
// The environment of every template. Equal templates give equal texts: there is no clock, and
// random numbers begin with __seed.
'use strict';
{
  // In a template the value of an SFNode that is NULL is undefined. JSON has no undefined, so the
  // value is omitted.
  const define = (name, value) => {
    Object.defineProperty(globalThis, name, {value: value, writable: true, configurable: true});
  };
  define('fields', __values.fields);
  define('context', __values.context);

  const say = (...parts) => __say(parts.map(String).join(' '));
  define('print', say);
  define('console', {log: say, info: say, debug: say, warn: say, error: say});

  // wbfile.js can also be used without an import.
  define('wbfile', {
    readTextFile: __textOfFile,
    fileExists: __fileExists,
    isFileExisting: __fileExists,
    writeTextFile: (path) => {
      say(`templates write no files: '${path}' is not written`);
      return false;
    }
  });

  let state = __seed >>> 0;
  Math.random = () => {  // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  define('__seedRandom', (seed) => {
    state = seed >>> 0;
  });

  const Clock = Date;
  define('Date', class Date extends Clock {
    constructor(...parts) {
      super(...(parts.length > 0 ? parts : [0]));
    }
    static now() {
      return 0;
    }
  });
}
