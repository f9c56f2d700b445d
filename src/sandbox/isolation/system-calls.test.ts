import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { findLack } from "../../../test/support/programs/programs.ts";

const script = `
  const { dropCapabilities } = await import(${JSON.stringify(join(import.meta.dirname, "system-calls.ts"))});
  dropCapabilities();
  const { readFileSync } = await import("node:fs");
  const { execFileSync } = await import("node:child_process");
  process.stdout.write(execFileSync("sh", ["-c", "cat /proc/self/status"]));
`;

const isRoot = process.getuid?.() === 0;
const skip = isRoot ? findLack("setpriv") : "NOT TESTED: requires root";

test("a program in the sandbox does not inherit the service's CAP_NET_RAW", { skip }, () => {
  // Root without its privileges, so that the process can read this checkout wherever it is.
  const user = ["--securebits=+noroot"];
  const granted = ["--inh-caps=+net_raw", "--ambient-caps=+net_raw"];
  const node = [process.execPath, "--input-type=module", "-e", script];
  const status = execFileSync("setpriv", [...user, ...granted, "--", ...node], {
    encoding: "utf8",
  });
  for (const set of ["Inh", "Prm", "Eff", "Amb"]) {
    assert.match(status, new RegExp(`^Cap${set}:\t0{16}$`, "m"));
  }
});
