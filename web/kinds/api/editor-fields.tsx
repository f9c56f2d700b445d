import { Checkbox } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { getAt, getText } from "../../parts/fields.ts";
import { FieldRow } from "../../parts/form.tsx";
import { assertionsOf, FamilyField, TimeLimits } from "../editor/assertions-field.tsx";
import { useEditorOf } from "../editor/editor-context.ts";
import { fieldsOf } from "../editor/fields.tsx";
import { PairsField } from "../editor/pairs-field.tsx";
import { words as shared } from "../editor/words.ts";
import type { KindEditor } from "../kind.ts";
import { assertionSources, describeApi } from "./describe.ts";

const words = {
  method: "Method",
  bodyType: "Body",
  noBody: "None",
  form: "Form",
  raw: "Raw text",
  body: "Request body",
  headers: "Headers",
  oneHeader: "header",
  parameters: "Query parameters",
  oneParameter: "query parameter",
  basicAuth: "Basic authentication",
  username: "User name",
  password: "Password",
  status: "Status code",
  time: "Response time (ms)",
  header: "Header",
  textBody: "Body as text",
  jsonBody: "Body as JSON",
  pattern: "Regular expression",
  assertionsHint:
    "A run fails if an assertion fails. Without an assertion on the status code, 400 and above fail.",
  redirects: "Follow redirects",
  skipSSL: "Ignore certificate errors",
  scripts: "Setup and teardown scripts",
} as const;

const JsonField = lazy(async () => ({
  default: (await import("./json-field.tsx")).JsonField,
}));

const HookFields = lazy(async () => ({
  default: (await import("./hook-fields.tsx")).HookFields,
}));

const { FlagField, LongTextField, SelectField, TextField } = fieldsOf<"API">();
const AssertionsField = assertionsOf<"API">();

const bodyTypes = {
  NONE: words.noBody,
  JSON: "JSON",
  FORM: words.form,
  RAW: words.raw,
  GRAPHQL: "GraphQL",
};

function BodyField() {
  const { values } = useEditorOf<"API">();
  const bodyType = getText(values, "request.bodyType");
  if (bodyType === "NONE") return null;
  const plain = <LongTextField path="request.body" label={words.body} hint={shared.variables} />;
  if (bodyType !== "JSON") return plain;
  return (
    <Suspense fallback={plain}>
      <JsonField path="request.body" label={words.body} hint={shared.variables} />
    </Suspense>
  );
}

function AuthFields() {
  const { values, set, noteLabel } = useEditorOf<"API">();
  noteLabel("request.basicAuth", words.basicAuth);
  const hasAuth = Boolean(getAt(values, "request.basicAuth"));
  return (
    <>
      <Checkbox
        label={words.basicAuth}
        checked={hasAuth}
        data-path="request.basicAuth"
        onChange={({ currentTarget }) =>
          set("request.basicAuth", currentTarget.checked ? { username: "", password: "" } : null)
        }
      />
      {hasAuth && (
        <FieldRow>
          <TextField path="request.basicAuth.username" label={words.username} />
          <TextField
            path="request.basicAuth.password"
            label={words.password}
            hint={shared.secretHint}
            type="password"
          />
        </FieldRow>
      )}
    </>
  );
}

function WhatFields() {
  return (
    <>
      <FieldRow>
        <SelectField path="request.method" label={words.method} />
        <SelectField path="request.bodyType" label={words.bodyType} labels={bodyTypes} />
      </FieldRow>
      <BodyField />
      <PairsField
        path="request.headers"
        label={words.headers}
        one={words.oneHeader}
        hint={shared.variables}
        secretField="locked"
      />
      <PairsField
        path="request.queryParameters"
        label={words.parameters}
        one={words.oneParameter}
        secretField="locked"
      />
      <AuthFields />
    </>
  );
}

function FailingFields() {
  return (
    <>
      <TimeLimits />
      <AssertionsField
        sources={[
          { value: "STATUS_CODE", label: words.status },
          { value: "RESPONSE_TIME", label: words.time },
          { value: "HEADERS", label: words.header, example: "content-type" },
          { value: "TEXT_BODY", label: words.textBody, example: words.pattern },
          { value: "JSON_BODY", label: words.jsonBody, example: "$.id" },
        ]}
        hint={words.assertionsHint}
      />
    </>
  );
}

/**
 * Edits the setup and teardown scripts. If there are none, the section is collapsed, because
 * expanding it loads the code editor, which is large.
 */
function ScriptFields() {
  const { values } = useEditorOf<"API">();
  const names = ["localSetupScript", "localTearDownScript"] as const;
  const isUsed =
    names.some((name) => getText(values, name) !== "") ||
    (values.setupSnippetId ?? values.tearDownSnippetId ?? null) !== null;
  const [isOpen, setOpen] = useState(isUsed);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words.scripts}</summary>
      {isOpen && (
        <Suspense fallback={null}>
          <HookFields />
        </Suspense>
      )}
    </details>
  );
}

function MoreFields() {
  return (
    <>
      <ScriptFields />
      <FlagField path="request.followRedirects" label={words.redirects} />
      <FlagField path="request.skipSSL" label={words.skipSSL} />
      <FieldRow>
        <FamilyField />
      </FieldRow>
    </>
  );
}

export const editor: KindEditor<"API"> = {
  describe: describeApi,
  assertionSources,
  WhatFields,
  FailingFields,
  MoreFields,
};
