// SPDX-License-Identifier: Apache-2.0
// A run that the page can watch, without a simulation. It serves the page, streams frames of a recording, and keeps
// the requests that it gets.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { inflateSync } from 'node:zlib';

export function record(kind, data) {
  const head = Buffer.alloc(5);
  head.write(kind, 'latin1');
  head.writeUInt32LE(data.length, 1);
  return Buffer.concat([head, data]);
}
export const jsonRecord = (kind, value) => record(kind, Buffer.from(JSON.stringify(value)));

/** The records of a recording file. */
export function recordsOf(path) {
  const all = inflateSync(readFileSync(path).subarray(8));
  const records = [];
  for (let at = 0; at < all.length; at += 5 + all.readUInt32LE(at + 1)) records.push(all.subarray(at, at + 5 + all.readUInt32LE(at + 1)));
  return records;
}

/** The page as the run serves it. */
export function livePage(template) {
  return readFileSync(template, 'utf8').replace("content=\"default-src 'none';", "$& connect-src 'self';")
    .replace('<!--RECORDINGS-->', '<meta name="servosim-live" content="1">');
}

export class FakeRun {
  token = '0123abcd';
  requests = []; // bodies of POST /control
  refusal = ''; // the answer to the next request
  status = { paused: false, speed: 1, control: true };
  frames = []; // the frames that were sent
  #server;
  #sockets = new Set();
  #watchers = new Set();
  #scene;
  #recorded;
  #time = 0;
  #timer;

  constructor(template, recording, interval = 40) {
    const records = recordsOf(recording);
    this.#scene = records.find((each) => each[0] === 0x53);
    this.#recorded = records.filter((each) => each[0] === 0x46);
    this.#server = createServer((request, response) => this.#answer(request, response, template));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.#timer = setInterval(() => this.status.paused || this.step(), interval);
  }

  async listen(port = 0) {
    await new Promise((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    this.port = this.#server.address().port;
    this.url = `http://127.0.0.1:${this.port}/?token=${this.token}`;
  }

  #answer(request, response, template) {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    if (searchParams.get('token') !== this.token) return response.writeHead(403).end('The address needs the token that servosim run has printed.\n');
    if (pathname === '/stream') {
      response.writeHead(200, { 'Content-Type': 'application/octet-stream' });
      response.write(Buffer.concat([jsonRecord('L', this.status), this.#scene, ...this.frames.slice(-50)]));
      this.#watchers.add(response);
      response.on('close', () => this.#watchers.delete(response));
    } else if (pathname === '/control') {
      let body = '';
      request.on('data', (data) => (body += data)).on('end', () => {
        this.#control(JSON.parse(body));
        response.writeHead(this.refusal ? 400 : 204).end(this.refusal);
        this.refusal = '';
      });
    } else response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(livePage(template));
  }

  #control(command) {
    this.requests.push(command);
    if (this.refusal) return;
    if (command.do === 'pause' || command.do === 'step') this.status.paused = true;
    if (command.do === 'go') this.status.paused = false;
    if (command.do === 'speed') this.status.speed = command.factor;
    if (command.do === 'step') this.step();
    if (command.do === 'reset') {
      this.#time = 0;
      this.step();
    }
    this.send(jsonRecord('L', this.status));
  }

  /** Sends the next frame. Its time goes on where the recording begins again. */
  step() {
    const frame = Buffer.from(this.#recorded[Math.round(25 * this.#time) % this.#recorded.length]);
    frame.writeDoubleLE(this.#time, 5);
    this.#time += 0.04;
    this.frames.push(frame);
    this.send(frame);
  }

  send(bytes) {
    for (const watcher of this.#watchers) watcher.write(bytes);
  }

  /** Changes the scene for the frames that follow. */
  change(scene) {
    this.#scene = scene;
    this.frames = [];
    this.send(scene);
  }

  end(reason) {
    clearInterval(this.#timer);
    this.send(jsonRecord('E', { reason, time: this.#time, state_hash: '8c1f' }));
    for (const watcher of this.#watchers) watcher.end();
  }

  /** Breaks the connections, and accepts no new one. */
  async disappear() {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async close() {
    clearInterval(this.#timer);
    await this.disappear();
  }
}
