// SPDX-License-Identifier: Apache-2.0
// A headless Chromium, which is driven over the pipes of the DevTools protocol, without a port or another package.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** The path of the browser; empty if there is none. */
export function findBrowser() {
  const folders = (process.env.PATH ?? '').split(':').filter(Boolean);
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync) ?? '';
}

/** Writes the page with recordings in it, as servosim view does. */
export function makePage(template, recordings, path) {
  const scripts = recordings.map((recording, i) =>
    `<script type="application/octet-stream" id="recording-${i}" data-name="${basename(recording)}">${readFileSync(recording, 'base64')}</script>`);
  writeFileSync(path, readFileSync(template, 'utf8').replace('<!--RECORDINGS-->', () => scripts.join('\n')));
}

/** A recording of one of the kinds of make_recording.py, in a folder; all kinds are written at once. */
export function makeRecording(kind, folder) {
  const path = join(folder, `${kind}.svt`);
  if (!existsSync(path)) execFileSync('python3', [join(here, 'make_recording.py'), folder]);
  return path;
}

export class Browser {
  #process;
  #profile;
  #next = 1;
  #waiting = new Map();
  #listeners = [];
  #rest = '';

  constructor(program = findBrowser()) {
    this.#profile = mkdtempSync(join(tmpdir(), 'servosim_browser_'));
    this.#process = spawn(program, [
      '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--disable-extensions', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
      '--force-device-scale-factor=1', '--hide-scrollbars', '--font-render-hinting=none',
      `--user-data-dir=${this.#profile}`, '--remote-debugging-pipe', 'about:blank',
    ], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: this.#environment() });
    this.#process.stdio[4].setEncoding('utf8').on('data', (text) => this.#take(text));
    this.#process.on('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the browser has ended'));
    });
  }

  // Everything that it writes is removed with its profile.
  #environment() {
    const places = ['HOME', 'TMPDIR', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME'].map((name) => [name, this.#profile]);
    return { ...process.env, ...Object.fromEntries(places) };
  }

  #take(text) {
    const messages = (this.#rest + text).split('\0');
    this.#rest = messages.pop();
    for (const message of messages.map((each) => JSON.parse(each))) {
      const waiting = this.#waiting.get(message.id);
      if (!waiting) {
        for (const listener of this.#listeners) listener(message);
        continue;
      }
      this.#waiting.delete(message.id);
      if (message.error) waiting.reject(new Error(`${waiting.method}: ${message.error.message}`));
      else waiting.resolve(message.result);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, method });
      this.#process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  /** A new tab of a size in pixels. It has no network unless the test wants one. */
  async tab({ width = 1200, height = 720, dark = false, network = false } = {}) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const tab = new Tab(this, sessionId, targetId);
    this.#listeners.push((message) => message.sessionId === sessionId && tab.take(message));
    await tab.begin(width, height, dark, network);
    return tab;
  }

  async close() {
    const ended = new Promise((resolve) => this.#process.on('exit', resolve));
    await this.send('Browser.close').catch(() => {});
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Tab {
  /** Errors and warnings that the page has written to the console, and exceptions that it did not catch. */
  errors = [];
  /** Requests of the page to the network, without that for itself. */
  requests = [];
  #browser;
  #session;
  #target;
  #address = '';
  #opened = '';

  constructor(browser, session, target) {
    this.#browser = browser;
    this.#session = session;
    this.#target = target;
  }

  send(method, params) {
    return this.#browser.send(method, params, this.#session);
  }

  async begin(width, height, dark, network) {
    await Promise.all(['Page.enable', 'Runtime.enable', 'Log.enable', 'Network.enable'].map((method) => this.send(method)));
    if (!network) await this.send('Network.emulateNetworkConditions', { offline: true, latency: 0, downloadThroughput: 0, uploadThroughput: 0 });
    await this.show(width, height, dark);
  }

  async show(width, height, dark) {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
  }

  /** Forgets what earlier pages have written and requested. */
  forget() {
    this.errors = [];
    this.requests = [];
  }

  take({ method, params }) {
    if (method === 'Runtime.exceptionThrown') this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    else if (method === 'Runtime.consoleAPICalled' && (params.type === 'error' || params.type === 'warning')) {
      this.errors.push(params.args.map((each) => each.value ?? each.description).join(' '));
    } else if (method === 'Log.entryAdded' && (params.entry.level === 'error' || params.entry.level === 'warning')) {
      // Reading pixels back is slow in a browser without a graphics card; the test does that, not the page.
      if (!/GPU stall due to ReadPixels/.test(params.entry.text)) this.errors.push(params.entry.text);
    } else if (method === 'Network.requestWillBeSent' && params.request.url.split('#')[0] !== this.#address) {
      this.requests.push(params.request.url);
    }
  }

  /** Opens a file or an address, and waits until the page has read its recording or the first frame of its run. Returns 'ready' or 'failed'. */
  async open(path, hash = '') {
    this.#address = /^https?:/.test(path) ? path : pathToFileURL(path).href;
    // The same file with another # would not be read again.
    if (this.#address === this.#opened) await this.send('Page.navigate', { url: 'about:blank' });
    this.#opened = this.#address;
    await this.send('Page.navigate', { url: this.#address + (hash && `#${hash}`) });
    return this.until(`location.href.split('#')[0] === ${JSON.stringify(this.#address)} && document.documentElement.dataset.state`);
  }

  async run(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  /** Waits until an expression is true, and returns it. */
  async until(expression, seconds = 20) {
    const end = Date.now() + 1000 * seconds;
    for (;;) {
      const value = await this.run(expression).catch(() => undefined);
      if (value) return value;
      if (Date.now() > end) throw new Error(`after ${seconds} s this is still not so: ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  async key(key, { shift = false } = {}) {
    const text = key.length === 1 ? { text: key } : {};
    for (const type of ['keyDown', 'keyUp']) {
      await this.send('Input.dispatchKeyEvent', { type, key, modifiers: shift ? 8 : 0, ...(type === 'keyDown' ? text : {}) });
    }
  }

  /** Presses the mouse at the first point, moves it over the others, and releases it. */
  async drag(...places) {
    const at = (type, [x, y], buttons) => this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', buttons, clickCount: 1 });
    await at('mouseMoved', places[0], 0);
    await at('mousePressed', places[0], 1);
    for (const place of places.slice(1)) await at('mouseMoved', place, 1);
    await at('mouseReleased', places[places.length - 1], 0);
  }

  /** A PNG of the page. */
  async picture() {
    await this.run('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data, 'base64');
  }

  close() {
    return this.#browser.send('Target.closeTarget', { targetId: this.#target });
  }
}
