import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTestCommand } from "./test-command.ts";

function parse(text: string) {
  const parsed = parseTestCommand(text);
  return "rule" in parsed ? assert.fail(parsed.rule) : parsed;
}

test("a command becomes arguments without a shell", () => {
  assert.deepEqual(parse("npx playwright test"), { values: [], configPath: null });
  assert.deepEqual(parse("npx --no-install playwright test"), { values: [], configPath: null });
  assert.deepEqual(
    parse("npx playwright test shop/ --config e2e/pw.config.ts --project 'Mobile Safari' edge -x"),
    {
      values: ["shop/", "--project=Mobile Safari", "--project=edge", "-x"],
      configPath: "e2e/pw.config.ts",
    },
  );
  assert.deepEqual(parse(`npx playwright test --grep '@a|it'"'"'s' -g=b -j 2 "a b" c\\ d`), {
    values: ["--grep=@a|it's", "--grep=b", "--workers=2", "a b", "c d"],
    configPath: null,
  });
  assert.deepEqual(parse("npx playwright test --reporter=html -u --output x --grep -x"), {
    values: ["--grep=-x"],
    configPath: null,
  });
});

test("other programs, shells and options are rejected with what is not supported", () => {
  for (const [text, expected] of [
    ["", /no other program/],
    ["npm run test", /no other program/],
    ["npx cypress run", /no other program/],
    ["npx playwright install", /no other program/],
    ["pnpm exec playwright test", /no other program/],
    ["A=1 npx playwright test", /no other program/],
    ["npx playwright test; rm -rf /", /";" has to be in single quotes/],
    ["npx playwright test && curl x", /"&" has to be/],
    ["npx playwright test $(id)", /"\$" has to be/],
    ['npx playwright test "`id`"', /"`" has to be/],
    ["npx playwright test > x", /">" has to be/],
    ["npx playwright test a\nb", /"\\n" has to be/],
    ["npx playwright test 'a", /a quote is not closed/],
    ["npx playwright test --ui", /--ui is not supported/],
    ["npx playwright test --debug", /--debug is not supported/],
    ["npx playwright test --__proto__", /--__proto__ is not supported/],
    ["npx playwright test --config", /--config needs a value/],
    ["npx playwright test --quiet=1", /--quiet has no value/],
  ] as const) {
    const parsed = parseTestCommand(text);
    assert.ok("rule" in parsed, text);
    assert.match(parsed.rule, expected);
    assert.match(parsed.rule, /^must be `npx playwright test` with its options/);
  }
});
