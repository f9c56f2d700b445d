import assert from "node:assert/strict";
import { test } from "node:test";
import { orderScript, projectRuntime } from "../../../test/support/scripts/script-runner.ts";
import { planLaunch } from "./launch.ts";

test("a script that imports Playwright's test runner runs with it, any other with Node.js", () => {
  const launch = (script: string) => planLaunch(orderScript(script), projectRuntime);
  const spec = launch('const { test } = require("@playwright/test");');
  assert.deepEqual([spec.files[0]?.path, spec.program("").command[2]], ["script.spec.ts", "test"]);
  const plain = launch("fetch('http://localhost/')");
  assert.deepEqual(
    [plain.files[0]?.path, plain.program("/run").command.at(-1)],
    ["script.js", "/run/script/script.js"],
  );
});

test("Playwright can write its cache, without which older versions fail", () => {
  const { program, mounts } = planLaunch(orderScript("1"), projectRuntime);
  const { environment } = program("");
  const folder = environment.PWTEST_CACHE_DIR ?? "";
  assert.ok(folder.startsWith("/tmp/"));
  assert.ok(mounts.every(({ target }) => !folder.startsWith(`${target}/`)));
});

test("variables of a check cannot replace what the runner itself sets", () => {
  const variables = { VEDETTE_SCRIPT: "/etc/passwd", TOKEN: "t" };
  const { environment } = planLaunch(orderScript("1", {}, { variables }), projectRuntime).program(
    "",
  );
  assert.deepEqual([environment.VEDETTE_SCRIPT, environment.TOKEN], ["script.js", "t"]);
});
