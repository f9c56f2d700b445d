/** Files of a project inside a sandbox, in every tier that root can build on this machine. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createReach } from "../../platform/net/reach.ts";
import { createNameResolver } from "../../platform/net/resolve.ts";
import { findIsolation } from "../runner/isolation.ts";
import { scriptFolder } from "./plan.ts";
import { removeFolder } from "./processes.ts";
import { isolations, needsRoot, runInSandbox } from "./sandbox.ts";

const isRoot = process.getuid?.() === 0;
const node = "/vedette/node";
const [code, nested] = ["/vedette/code", "/vedette/nested/sub/node_modules"];
const script = `
const fs = require("node:fs");
fs.writeSync(1, require("./sub/main.js"));
fs.appendFileSync("sub/main.js", "// changed");`;

/** Writes a workspace with separate packages, and links to folders that contain the links. */
function writeProject(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "vedette-project-"));
  t.after(() => removeFolder(folder));
  chmodSync(folder, 0o755);
  const [project, packages] = [join(folder, "project"), join(folder, "packages")];
  mkdirSync(join(project, "sub"), { recursive: true });
  writeFileSync(join(project, "script.cjs"), script);
  writeFileSync(join(project, "sub/main.js"), 'module.exports = require("foo");');
  symlinkSync("..", join(project, "sub/up"));
  // A walk that follows these links has 2^40 paths.
  for (let index = 0; index < 40; index += 1) {
    mkdirSync(join(project, `d${index}`));
    for (const name of ["a", "b"]) {
      symlinkSync(`../d${(index + 1) % 40}`, join(project, `d${index}`, name));
    }
  }
  mkdirSync(join(packages, "foo"), { recursive: true });
  writeFileSync(join(packages, "foo/index.js"), 'module.exports = "foo";');
  return { project, packages };
}

for (const isolation of isolations.filter(needsRoot)) {
  const title = `in tier ${isolation}, a project with nested packages and links in a circle runs`;
  test(title, { skip: !isRoot && "needs root" }, async (t) => {
    const reach = createReach({ allow: [], deny: [] });
    const egress = { resolver: createNameResolver(), reach };
    const { refusals } = await findIsolation([isolation], egress);
    if (refusals.length > 0) return t.skip(refusals.join(" "));
    const { project, packages } = writeProject(t);
    let output = "";
    const result = await runInSandbox({
      ...{ isolation, slot: 900, files: [], timeoutMs: 30_000 },
      mounts: [
        { source: process.execPath, target: node },
        { source: project, target: code },
        { source: packages, target: nested },
      ],
      project: { folder: code, links: [{ path: "sub/node_modules", target: nested }] },
      program: (root) => ({
        command: [join(root, node), join(root, scriptFolder, "script.cjs")],
        environment: {},
      }),
      limits: { memoryBytes: 2 ** 28, processes: 64, folderBytes: 2 ** 24, cpuSeconds: 30 },
      egress,
      onOutput: (_stream, bytes) => {
        output += bytes.toString();
        return true;
      },
    });
    if (result.kind === "refused") assert.fail(result.message);
    assert.deepEqual([result.exit?.code, output], [0, "foo"]);
    for (const path of ["foo", "foo/index.js"]) {
      assert.equal(statSync(join(packages, path)).uid, 0, "packages keep their owner");
    }
  });
}
