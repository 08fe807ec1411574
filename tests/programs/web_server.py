#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A web server on the loopback device that behaves well or badly, for tests of `servosim fetch`.

usage: web_server.py FOLDER LOG

Prints its port. Each request adds a line to LOG: the path, and the range if it asks for one. It ends
when its standard input is closed, and after ten minutes in any case. The first part of a path selects
the answer to the rest of it:

  files/PATH           the file, with an ETag; ranges are served
  plain/PATH           the same without an ETag and without ranges
  truncated/PATH       half of what the header announces
  once/PATH            the same for the first request, then as files/
  slow/PATH            a byte a second
  pausing/PATH         half of the file, then nothing; a range as files/
  endless/PATH         bytes without end, and without a length
  headers/PATH         a header without end
  huge/PATH            a header that announces a terabyte
  redirect/N/REST      N redirects to REST
  circle/PATH          a redirect to itself
  local/PATH           a redirect to a file of this machine
  page/PATH            a page for browsers
  error/N/PATH         the status N
  busy/N/PATH          the status N for the first request, then as files/
  host/NAME/REST       a redirect to REST of this server by another name of it
  port/N/REST          a redirect to REST of 127.0.0.1 at that port
  garbage/PATH         no HTTP
"""
import hashlib
import http.server
import os
import pathlib
import sys
import threading
import time

SECONDS = 600


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        asked = self.headers.get("Range")
        with self.server.lock, open(self.server.log, "a") as log:
            log.write(self.path + (" " + asked if asked else "") + "\n")
            first = self.path not in self.server.seen
            self.server.seen.add(self.path)
        kind, _, rest = self.path.lstrip("/").partition("/")
        try:
            self.answer(kind, rest, first)
        except OSError:
            pass  # the other side has closed
        self.close_connection = self.close_connection or kind not in ("files", "redirect")

    def answer(self, kind, rest, first):
        if kind == "redirect":
            count, _, rest = rest.partition("/")
            to = rest if int(count) < 2 else f"redirect/{int(count) - 1}/{rest}"
            self.head(302, 0, Location="/" + to)
        elif kind == "circle":
            self.head(302, 0, Location=self.path)
        elif kind == "local":
            self.head(302, 0, Location="file:///etc/passwd")
        elif kind == "error":
            self.body(int(rest.partition("/")[0]), b"no")
        elif kind == "busy" and first:
            self.body(int(rest.partition("/")[0]), b"later")
        elif kind == "busy":
            self.file(kind, rest.partition("/")[2], first)
        elif kind == "host":
            name, _, rest = rest.partition("/")
            self.head(302, 0, Location=f"http://{name}:{self.server.server_address[1]}/{rest}")
        elif kind == "port":
            port, _, rest = rest.partition("/")
            self.head(302, 0, Location=f"http://127.0.0.1:{port}/{rest}")
        elif kind == "page":
            self.body(200, b"\n<!DOCTYPE html><html><body>Sign in</body></html>")
        elif kind == "garbage":
            self.wfile.write(b"\0\1\2 no HTTP\r\n\r\n" * 100)
        elif kind == "headers":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            for i in range(10 ** 6):
                self.wfile.write(b"X-%d: %s\r\n" % (i, b"x" * 900))
        elif kind == "huge":
            self.head(200, 10 ** 12)
            self.wfile.write(b"x" * 1000)
        elif kind == "endless":
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            while True:
                self.wfile.write(b"# more\n" * 5000)
        else:
            self.file(kind, rest, first)

    def head(self, status, length, **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def body(self, status, text, **headers):
        self.head(status, len(text), **headers)
        self.wfile.write(text)

    def file(self, kind, rest, first):
        path = pathlib.Path(self.server.folder) / rest
        if ".." in rest or not path.is_file():
            self.body(404, b"none")
            return
        text = path.read_bytes()
        etag = '"' + hashlib.md5(text).hexdigest() + '"'
        asked = self.headers.get("Range", "")
        ranges = kind in ("files", "once", "pausing")
        if ranges and asked.startswith("bytes=") and self.headers.get("If-Range") in (None, etag):
            start = int(asked[6:].split("-")[0])
            if start >= len(text):
                self.body(416, b"", Content_Range=f"bytes */{len(text)}")
            else:
                self.body(206, text[start:], ETag=etag,
                          Content_Range=f"bytes {start}-{len(text) - 1}/{len(text)}")
            return
        headers = {} if kind == "plain" else {"ETag": etag}
        self.head(200, len(text), **headers)
        if kind == "slow":
            for byte in text:
                self.wfile.write(bytes([byte]))
                time.sleep(1)
        elif kind == "truncated" or (kind == "once" and first):
            self.wfile.write(text[:len(text) // 2])
        elif kind == "pausing":
            self.wfile.write(text[:len(text) // 2])
            self.wfile.flush()
            time.sleep(SECONDS)
        else:
            self.wfile.write(text)


def end_with_input():
    sys.stdin.buffer.read()
    os._exit(0)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.folder, server.log = sys.argv[1:]
    server.lock = threading.Lock()
    server.seen = set()
    threading.Thread(target=end_with_input, daemon=True).start()
    threading.Timer(SECONDS, lambda: os._exit(1)).start()
    print(server.server_address[1], flush=True)
    server.serve_forever()


main()
