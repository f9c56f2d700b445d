import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { pino } from "pino";
import { formatLines } from "./log.ts";

function writeAll(write: (log: ReturnType<typeof pino>) => void): string[] {
  let text = "";
  const destination = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  write(pino({ base: null }, formatLines(destination, false)));
  return text.trimEnd().split("\n");
}

test("a readable line has the time, the level, the message, and then its fields", () => {
  const [first = "", second = ""] = writeAll((log) => {
    log.info("listening on http://127.0.0.1:3000");
    log.warn({ count: 53 }, "database migrated");
  });
  assert.match(first, /^\[\d\d:\d\d:\d\d\] INFO: listening on http:\/\/127\.0\.0\.1:3000$/);
  assert.match(second, /^\[\d\d:\d\d:\d\d\] WARN: database migrated \{"count":53\}$/);
});

test("a request is one readable line", () => {
  const fields = { method: "POST", route: "/v1/checks", statusCode: 201, elapsedMs: 17.6491 };
  const lines = writeAll((log) => log.info({ ...fields, address: "192.0.2.7" }, "request"));
  assert.equal(lines.length, 1);
  assert.match(
    lines[0] ?? "",
    /INFO: POST \/v1\/checks 201 in 18 ms \{"address":"192\.0\.2\.7"\}$/,
  );
});

test("an error keeps its stack in readable lines", () => {
  const lines = writeAll((log) => log.error({ err: new Error("no such host") }, "request failed"));
  assert.match(lines[0] ?? "", /ERROR: request failed/);
  assert.ok(lines.some((line) => line.includes("no such host")));
  assert.ok(lines.some((line) => line.trim().startsWith("at ")));
});
