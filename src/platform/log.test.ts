import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { pino } from "pino";
import { formatLines } from "./log.ts";

function writeAll(write: (log: ReturnType<typeof pino>) => void, isColored = false): string[] {
  let text = "";
  const destination = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  write(pino({ base: null }, formatLines(destination, isColored)));
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
  const err = Object.assign(new Error("no such host"), { code: "ENOTFOUND" });
  const lines = writeAll((log) => log.error({ err, id: 7 }, "request failed"));
  assert.match(lines[0] ?? "", /ERROR: request failed \{"id":7\}$/);
  assert.equal(lines[1], "    Error: no such host");
  assert.match(lines[2] ?? "", /^ {8}at /);
  assert.equal(lines.at(-1), '    {"code":"ENOTFOUND"}');
});

test("a terminal shows the level and the message in colour", () => {
  const lines = writeAll((log) => log.warn("slow"), true);
  const control = String.fromCharCode(27);
  const shown = lines[0]?.replaceAll(control, "").slice("[00:00:00] ".length);
  assert.equal(shown, "[33mWARN[39m: [36mslow[39m");
});
