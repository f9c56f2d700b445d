import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import {
  type Examples,
  settingExamples as examples,
  type Name,
} from "../test/support/inputs/setting-examples.ts";
import { parseConfig, settings } from "./config.ts";
import { ConfigError } from "./platform/setting-parsers.ts";

function faultsOf(environment: Readonly<Record<string, string>>): string[] {
  try {
    parseConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message
      .split("\n")
      .slice(1)
      .map((line) => line.trim());
  }
  assert.fail(`accepted: ${JSON.stringify(environment)}`);
}

describe("the configuration", () => {
  it("uses the defaults if nothing is set, and treats an empty variable as not set", () => {
    const names = Object.keys(settings);
    const config = parseConfig({});
    assert.deepEqual(parseConfig(Object.fromEntries(names.map((name) => [name, ""]))), config);
    assert.equal(config.HOST, "127.0.0.1");
    assert.equal(config.PORT, 3000);
    assert.equal(config.DATABASE_URL, undefined);
    assert.equal(config.TRUSTED_PROXIES, undefined);
  });

  it("parses numbers and lists, and removes the trailing slash of URLs", () => {
    const config = parseConfig({
      PORT: "80",
      TRUSTED_PROXIES: "10.0.0.0/8, ::1",
      PUBLIC_URL: "https://example.com//",
    });
    assert.equal(config.PORT, 80);
    assert.deepEqual(config.TRUSTED_PROXIES, ["10.0.0.0/8", "::1"]);
    assert.equal(config.PUBLIC_URL, "https://example.com");
  });

  for (const [name, { good, bad, rule }] of Object.entries<Examples>(examples)) {
    it(`accepts valid values of ${name} and rejects invalid ones with what is allowed`, () => {
      for (const value of good) assert.doesNotThrow(() => parseConfig({ [name]: value }), value);
      for (const value of bad) {
        assert.deepEqual(faultsOf({ [name]: value }), [`${name} ${rule}`], JSON.stringify(value));
      }
    });
  }

  it("reports all faults at once", () => {
    const names = fc.subarray(Object.keys(examples) as Name[], { minLength: 1 });
    fc.assert(
      fc.property(names, (chosen) => {
        const environment = Object.fromEntries(
          chosen.map((name) => [name, examples[name].bad[0] ?? ""]),
        );
        assert.deepEqual(
          faultsOf(environment),
          chosen.map((name) => `${name} ${examples[name].rule}`),
        );
      }),
    );
  });

  it("does not repeat a bad value, which may be a secret", () => {
    const [fault = ""] = faultsOf({ BOOTSTRAP_PASSWORD: "hunter2" });
    assert.ok(!fault.includes("hunter2"));
  });
});

describe("a secret in a file", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "vedette-config-"));
  });
  after(() => rm(folder, { recursive: true }));

  async function writeSecret(name: string, text: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  }

  it("is read without the line end, for every setting that is secret", async () => {
    const names = (Object.keys(settings) as Name[]).filter((name) => "isSecret" in settings[name]);
    for (const name of ["DATABASE_URL", "BOOTSTRAP_PASSWORD", "BOOTSTRAP_API_KEY"] as const) {
      assert.ok(names.includes(name));
    }
    for (const name of names) {
      const value = examples[name].good[0] ?? "";
      const path = await writeSecret(name, `${value}\n`);
      const expected = parseConfig({ [name]: value })[name];
      assert.deepEqual(parseConfig({ [`${name}_FILE`]: path })[name], expected);
    }
  });

  it("is validated by the same rule", async () => {
    for (const text of ["", "\n", "short"]) {
      const path = await writeSecret("bad", text);
      assert.deepEqual(faultsOf({ BOOTSTRAP_PASSWORD_FILE: path }), [
        "BOOTSTRAP_PASSWORD must have 10 to 200 characters",
      ]);
    }
  });

  it("is a fault if the value is set as well", async () => {
    const path = await writeSecret("both", "a long password");
    assert.deepEqual(
      faultsOf({ BOOTSTRAP_PASSWORD: "a long password", BOOTSTRAP_PASSWORD_FILE: path }),
      ["BOOTSTRAP_PASSWORD and BOOTSTRAP_PASSWORD_FILE are both set; set one of them"],
    );
  });

  it("is a fault that names the path if the file cannot be read", () => {
    const path = join(folder, "absent");
    const [fault = ""] = faultsOf({ BOOTSTRAP_API_KEY_FILE: path });
    assert.match(fault, /^BOOTSTRAP_API_KEY cannot be read from the file .*absent: ENOENT/);
  });

  it("is ignored for settings that are not secret", async () => {
    const path = await writeSecret("port", "80");
    assert.equal(parseConfig({ PORT_FILE: path }).PORT, 3000);
  });
});

describe("docs/configure.md", () => {
  it("has one row for each setting, with its default and what is allowed", async () => {
    const page = await readFile(join(import.meta.dirname, "..", "docs", "configure.md"), "utf8");
    const rows = page.split("\n").filter((line) => /^\| `[A-Z0-9_]+` \|/.test(line));
    const wanted = Object.entries(settings).map(([name, { fallback, allowed, purpose }]) => {
      const byDefault = fallback === undefined ? "none" : `\`${fallback}\``;
      return `| \`${name}\` | ${byDefault} | ${allowed} | ${purpose} |`;
    });
    assert.deepEqual(rows, wanted);
  });
});
