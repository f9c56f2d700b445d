import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  createAlertMessage,
  createHostileMessage,
} from "../../../test/support/modules/alert-message.ts";
import { anyCharacter } from "../../../test/support/properties.ts";
import { measureCpuMs } from "../../../test/support/time/cpu-time.ts";
import {
  fillTemplate,
  findTemplateFault,
  listTemplateNames,
  maxOutputBytes,
  maxTemplateLength,
} from "../../platform/text/template.ts";
import {
  decideFormat,
  renderTemplate,
  type TemplateFormat,
  templateVariables,
} from "./alert-text.ts";

const message = createAlertMessage();

function render(template: string, format: TemplateFormat = "plain", alert = message): string {
  const rendered = renderTemplate(template, alert, format);
  assert.ok(rendered.kind === "rendered");
  return rendered.text;
}

/** The constructs of the templates that existing clients send for their own channel types. */
const clientTemplates = {
  teams: `{ "items": [
    { "text": "Response time: {{RESPONSE_TIME}}ms" },
    {{#if GROUP_NAME}}
    { "text": "Group: {{GROUP_NAME}}" },
    {{/if}}
    { "text": "Tags: {{#each TAGS}} {{this}} {{#unless @last}},{{/unless}} {{/each}}" }
  ] }`,
  telegram: `chat_id=7&parse_mode=HTML&text=<b>{{ALERT_TITLE}}</b> at {{RUN_LOCATION}}
{{#if AI_ANALYSIS_CLASSIFICATION}}
Analysis: <i>{{AI_ANALYSIS_CLASSIFICATION}}</i>
{{/if}}
Tags: {{#each TAGS}} <i>{{this}}</i> {{#unless @last}},{{/unless}} {{/each}}
<a href="{{RESULT_LINK}}">View check result</a>`,
  incident: `{
  "title": "{{ALERT_TITLE}}{{#if AI_ANALYSIS_CLASSIFICATION}}\\n{{{AI_ANALYSIS_ROOT_CAUSE}}}{{/if}}",
  {{#contains ALERT_TYPE "RECOVERY"}}
  "status": "resolved"
  {{else}}
  "status": "firing"
  {{/contains}}
}`,
};

test("every documented variable has its value", () => {
  const values = Object.fromEntries(templateVariables.map((name) => [name, render(`{{${name}}}`)]));
  const { $UUID: uuid = "", $RANDOM_NUMBER: number = "", ...rest } = values;
  assert.deepEqual(rest, {
    ALERT_TITLE: "Web is down",
    ALERT_TYPE: "ALERT_FAILURE",
    CHECK_NAME: "Web",
    CHECK_ID: "3c1a9d5e-7b1f-4c52-9a37-0d6a4f2b8e11",
    CHECK_TYPE: "ICMP",
    CHECK_RESULT_ID: "result-1",
    CHECK_ERROR_MESSAGE: "80 % of the packets to web.example were lost.",
    GROUP_NAME: "Shop",
    RESPONSE_TIME: "12.5",
    RUN_LOCATION: "eu-central-1",
    RESULT_LINK: "https://vedette.example/checks/check-1?run=result-1",
    ALERT_LINK: "https://vedette.example/alerts/alert-1",
    SSL_DAYS_REMAINING: "",
    SSL_CHECK_DOMAIN: "",
    STARTED_AT: "2026-03-01T11:58:00.000Z",
    TAGS: "production,eu",
    IS_REMINDER: "false",
    REMINDER_SEQUENCE: "0",
  });
  assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.match(number, /^\d{1,3}$/);
});

test("every attempt renders the same text, and another message does not", () => {
  const template = "{{$UUID}} {{$RANDOM_NUMBER}}";
  assert.equal(render(template), render(template));
  const other = createAlertMessage({ idempotencyKey: "another" });
  assert.notEqual(render("{{$UUID}}"), render("{{$UUID}}", "plain", other));
});

test("spaces around a name are ignored, and the surrounding text is unchanged", () => {
  assert.equal(render('{"a":{"b":"{{ CHECK_NAME }}"}}'), '{"a":{"b":"Web"}}');
  assert.equal(render('{"a":{{RESPONSE_TIME}}}', "json"), '{"a":12.5}');
  assert.equal(render("no variables } {"), "no variables } {");
});

test("a missing number is null in JSON and empty elsewhere", () => {
  const silent = createAlertMessage({ responseTimeMs: null });
  assert.equal(render('{"a":{{RESPONSE_TIME}}}', "json", silent), '{"a":null}');
  assert.equal(render("a{{RESPONSE_TIME}}b", "plain", silent), "ab");
});

test("unknown names render empty, including inherited property names", () => {
  const foreign = [
    "constructor",
    "__proto__",
    "toString",
    "hasOwnProperty",
    "constructor.constructor",
    "this",
    "process",
    "require('fs')",
    "CHECK_NAME.length",
    "alert_title",
    "#if CHECK_NAME",
    "> partial",
    "{CHECK_NAME",
    "CHECK_DESCRIPTION",
    "",
  ];
  for (const name of foreign) {
    assert.match(render(`[{{${name}}}]`), /^\[\]$/, name);
  }
});

test("a value is never interpreted as a template", () => {
  const alert = createAlertMessage({ checkName: "{{CHECK_ID}}", title: "{{" });
  assert.equal(render("{{CHECK_NAME}}", "plain", alert), "{{CHECK_ID}}");
  assert.equal(render("{{ALERT_TITLE}}CHECK_ID}}", "plain", alert), "{{CHECK_ID}}");
});

test("any value stays inside its JSON string", () => {
  const template = JSON.stringify({ name: "{{CHECK_NAME}}", tags: "{{TAGS}}" });
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (checkName) => {
      const alert = createAlertMessage({ checkName, tags: [checkName] });
      const name = checkName.toWellFormed();
      assert.deepEqual(JSON.parse(render(template, "json", alert)), { name, tags: name });
    }),
  );
});

test("values are escaped for the type of the body", () => {
  const alert = createHostileMessage();
  assert.doesNotMatch(render("{{CHECK_NAME}}", "markup", alert), /[<>"']/);
  assert.doesNotMatch(render("{{CHECK_NAME}}", "form", alert), /[&=\s]/);
  assert.equal(decideFormat("application/json; charset=utf-8"), "json");
  assert.equal(decideFormat("Application/Cloudevents+JSON"), "json");
  assert.equal(decideFormat("application/x-www-form-urlencoded"), "form");
  assert.equal(decideFormat("text/xml"), "markup");
  assert.equal(decideFormat("text/plain"), "plain");
  assert.equal(decideFormat("application/jsonish"), "plain");
});

test("faults are reported, and an unknown name is not a fault", () => {
  assert.equal(findTemplateFault('{"a":{{RESPONSE_TIME}}}'), null);
  assert.equal(findTemplateFault("{{CHECK_DESCRIPTION}} {{$UUID}}"), null);
  assert.equal(findTemplateFault("{{CHECK_NAME} and more"), "not-closed");
  assert.equal(findTemplateFault("a".repeat(maxTemplateLength + 1)), "too-long");
  const others = [
    "{{> x}}",
    "{{a.b}}",
    "{{eq A 'b'}}",
    "{{}}",
    "{{#with A}}",
    "{{#if a.b}}",
    "{{{A}}",
  ];
  for (const text of others) assert.equal(findTemplateFault(text), "not-a-variable", text);
  for (const text of ["{{#if A}}", "{{#if A}}{{#each B}}{{/each}}", "{{#if A}}{{else}}"]) {
    assert.equal(findTemplateFault(text), "block-not-closed", text);
  }
  for (const text of ["{{/if}}", "{{else}}", "{{#if A}}{{/each}}{{/if}}"]) {
    assert.equal(findTemplateFault(text), "block-not-opened", text);
  }
  const nest = (depth: number) => "{{#if A}}".repeat(depth) + "{{/if}}".repeat(depth);
  assert.deepEqual([findTemplateFault(nest(8)), findTemplateFault(nest(9))], [null, "too-deep"]);
  assert.equal(render("{{CHECK_NAME} and more"), "{{CHECK_NAME} and more");
});

test("blocks choose and repeat text, as in Handlebars", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["{{#if GROUP_NAME}}in {{GROUP_NAME}}{{else}}alone{{/if}}", "in Shop"],
    ["{{#if SSL_CHECK_DOMAIN}}x{{else}}y{{/if}}{{#if UNKNOWN}}z{{/if}}", "y"],
    ["{{#if IS_REMINDER}}again{{/if}}{{#if REMINDER_SEQUENCE}}x{{/if}}", ""],
    ["{{#unless IS_REMINDER}}first{{else}}again{{/unless}}", "first"],
    [
      "{{#each TAGS}}{{@index}}={{this}}{{#unless @last}}, {{/unless}}{{/each}}",
      "0=production, 1=eu",
    ],
    ["{{#each CHECK_NAME}}x{{else}}no list{{/each}}", "no list"],
    ['{{#contains ALERT_TYPE "FAIL"}}a{{else}}b{{/contains}}', "a"],
    ["{{#contains TAGS 'e'}}a{{else}}b{{/contains}}", "b"],
    ["{{{CHECK_NAME}}} {{#each TAGS}}{{#if @first}}{{CHECK_NAME}}{{/if}}{{/each}}", "Web Web"],
    ["a\n  {{#if TAGS}}\n  b\n  {{/if}}\n{{#if UNKNOWN}}\nc\n{{/if}}\nd", "a\n  b\nd"],
    ["a {{#if TAGS}} b {{/if}}\n", "a  b \n"],
  ];
  for (const [template, text] of cases) {
    assert.equal(findTemplateFault(template), null, template);
    assert.equal(render(template), text, template);
  }
  const silent = createAlertMessage({ responseTimeMs: null, tags: [] });
  const empty = "{{#if RESPONSE_TIME}}x{{/if}}{{#each TAGS}}y{{/each}}";
  assert.equal(render(empty, "json", silent), "");
});

test("values inside blocks are escaped and never interpreted", () => {
  const template = '{"tags":"{{#each TAGS}}{{this}};{{/each}}","name":"{{{CHECK_NAME}}}"}';
  fc.assert(
    fc.property(fc.array(fc.string({ unit: anyCharacter })), (tags) => {
      const alert = createAlertMessage({ tags, checkName: tags.join("{{#if TAGS}}") });
      const expected = {
        tags: tags.map((tag) => `${tag.toWellFormed()};`).join(""),
        name: alert.checkName.toWellFormed(),
      };
      assert.deepEqual(JSON.parse(render(template, "json", alert)), expected);
    }),
  );
});

test("blocks cannot multiply work or output", () => {
  const tags = Array.from({ length: 100 }, (_, index) => `tag ${index}`);
  const alert = createAlertMessage({ tags });
  for (const body of ["", "x", "{{UNKNOWN}}", "{{#if UNKNOWN}}x{{/if}}"]) {
    const deep = "{{#each TAGS}}".repeat(7) + body + "{{/each}}".repeat(7);
    assert.equal(findTemplateFault(deep), null);
    assert.ok(measureCpuMs(() => renderTemplate(deep, alert, "json")) < 1_000);
    assert.equal(renderTemplate(deep, alert, "json").kind, "too-large", body);
  }
});

test("output above the limit is not truncated but rejected", () => {
  const alert = createAlertMessage({ checkName: "x".repeat(10_000) });
  const template = "{{CHECK_NAME}}".repeat(7);
  assert.deepEqual(renderTemplate(template, alert, "json"), { kind: "too-large" });
  const longest = "a".repeat(maxTemplateLength);
  assert.equal(render(longest).length, maxOutputBytes);
  assert.equal(renderTemplate(`${longest}a`, message, "json").kind, "too-large");
  assert.equal(renderTemplate("é".repeat(40_000), message, "plain").kind, "too-large");
});

test("the default templates of existing clients render for every alert", () => {
  const fill = (template: string, format: TemplateFormat, alert = message) => {
    assert.equal(findTemplateFault(template), null);
    return render(template, format, alert);
  };
  const bare = createAlertMessage({ groupName: null, tags: [], responseTimeMs: null });
  for (const alert of [message, bare, createHostileMessage()]) {
    const card = JSON.parse(fill(clientTemplates.teams, "json", alert));
    assert.equal(card.items.at(-1).text.startsWith("Tags: "), true);
    assert.equal(card.items.length, alert.groupName === null ? 2 : 3);
    const event = JSON.parse(fill(clientTemplates.incident, "json", alert));
    assert.equal(event.status, alert.kind.includes("RECOVERY") ? "resolved" : "firing");
    const form = new URLSearchParams(fill(clientTemplates.telegram, "html-form", alert));
    assert.deepEqual([...form.keys()], ["chat_id", "parse_mode", "text"]);
  }
  const recovery = createAlertMessage({ kind: "ALERT_RECOVERY" });
  assert.equal(JSON.parse(fill(clientTemplates.incident, "json", recovery)).status, "resolved");
  const odd = createAlertMessage({ title: "<b> & 1+1" });
  const text = new URLSearchParams(fill(clientTemplates.telegram, "html-form", odd)).get("text");
  assert.match(text ?? "", /^<b>&lt;b&gt; &amp; 1\+1<\/b> at /);
});

test("other modules fill templates with their own names and can list them", () => {
  const template = "{{ who }} in {{where}}, {{who}} {{nobody}}{";
  assert.deepEqual(listTemplateNames(template), ["who", "where", "nobody"]);
  assert.deepEqual(listTemplateNames("{{ never closed"), []);
  const values = new Map([
    ["who", "{{where}}"],
    ["where", "<Bern>"],
  ]);
  // Values are not interpreted as templates.
  const text = "{{where}} in <Bern>, {{where}} {";
  assert.deepEqual(fillTemplate(template, values), { kind: "rendered", text });
  const huge = new Map([["who", "x".repeat(40_000)]]);
  assert.deepEqual(fillTemplate(template, huge), { kind: "too-large" });
});

test("no template makes rendering throw, hang or exceed its limit", () => {
  const piece = fc.oneof(
    fc.constantFrom("{{", "}}", "{", "}", "{{{", "{{CHECK_NAME}}", "{{TAGS}}", " ", '"', "\n"),
    fc.constantFrom(
      "{{#if TAGS}}",
      "{{#each TAGS}}",
      "{{else}}",
      "{{/if}}",
      "{{/each}}",
      "{{this}}",
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece), fc.nat(500), (parts, times) => {
      const template = parts.join("").repeat(times);
      findTemplateFault(template);
      const rendered = renderTemplate(template, message, "json");
      if (rendered.kind === "rendered") {
        assert.ok(Buffer.byteLength(rendered.text) <= maxOutputBytes);
      }
    }),
  );
});

test("rendering takes linear time even for the worst templates", () => {
  const costOf = (length: number) => {
    const blocks = ["{{#if A}}", "{{#each TAGS}}\n", "{{#if A}}{{/if}}", " \n{{else}}\n"];
    const worst = ["{{", "{", "{{ ", "{{}} ", "}}", "{{x", ...blocks].map((unit) =>
      unit.repeat(length / unit.length),
    );
    return measureCpuMs(() => {
      for (let round = 0; round < 20; round += 1) {
        for (const template of worst) {
          findTemplateFault(template);
          renderTemplate(template, message, "json");
        }
      }
    });
  };
  costOf(4_000);
  const shortMs = costOf(4_000);
  const longMs = costOf(64_000);
  // The input is sixteen times as long; quadratic time would take 256 times as long. The constant
  // allows for short measurements.
  assert.ok(longMs < shortMs * 100 + 50, `${shortMs} ms, then ${longMs} ms`);
});
