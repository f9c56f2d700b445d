import { Button, FileButton } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, send } from "../../api/client.ts";
import { getText } from "../../parts/fields.ts";
import { Row, Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { useEditorOf } from "../editor/editor-context.ts";
import { fieldsOf } from "../editor/fields.tsx";
import type { KindEditor } from "../kind.ts";

const words = {
  code: "Code",
  codeHint:
    "A compressed tar archive (.tgz) of the project: package.json, package-lock.json, Playwright’s configuration and the tests, without node_modules. At most 10 MiB.",
  packing: "Pack it with",
  packCommand: "tar -czf suite.tgz --exclude=node_modules --exclude=.git .",
  noCode: "No code yet. Runs fail until there is some.",
  hasCode: (key: string) => `Uploaded: ${key.replace(/^bundle\//, "").slice(0, 12)}`,
  choose: "Choose an archive",
  uploading: "Uploading…",
  tooLarge: "The archive is larger than 10 MiB. Leave out files that the tests do not need.",
  testCommand: "Command",
  testCommandHint: "Options such as --project and --grep choose the tests. No shell runs it.",
  testCommandExample: "npx playwright test",
  workingDir: "Folder",
  workingDirHint: "Folder of the code in which the tests run. By default the topmost one.",
  workingDirExample: "e2e",
  engineVersion: "Node.js version",
  engineVersionHint: "Its major version. By default 22.",
  engineVersionExample: "22",
  describeNone: "Runs a suite of Playwright tests, whose code is still missing.",
  describe: (command: string, folder: string) =>
    `Runs “${command}”${folder === "" ? "" : ` in the folder ${folder}`} in a sandbox.`,
  fails: "It fails if a test fails, or if it takes longer than 20 minutes.",
} as const;

const { TextField } = fieldsOf<"PLAYWRIGHT">();

const maxBytes = 10 * 1024 * 1024;

async function uploadCode(file: File): Promise<string> {
  if (file.size > maxBytes) throw new Error(words.tooLarge);
  const stored = await send(
    api.POST("/next/checkly-storage/upload-code-bundle", {
      // The cast is needed because the OpenAPI schema does not describe this body, which is not
      // JSON.
      body: file as never,
      bodySerializer: () => file,
      headers: { "content-type": "application/octet-stream" },
    }),
  );
  return stored.key;
}

/**
 * Uploads a code archive as soon as the user selects it. The API returns a key for the uploaded
 * archive. Saving the check stores this key in the check.
 */
function CodeField() {
  const { values, set, noteLabel, findFieldError } = useEditorOf<"PLAYWRIGHT">();
  noteLabel("codeBundlePath", words.code);
  const upload = useMutation({
    mutationFn: uploadCode,
    onSuccess: (key) => set("codeBundlePath", key),
  });
  const key = getText(values, "codeBundlePath");
  const error = upload.error ? upload.error.message : findFieldError("codeBundlePath");
  return (
    <Stack as="fieldset" gap={2} data-path="codeBundlePath">
      <legend className={textStyles.strong}>{words.code}</legend>
      <p className={textStyles.hint}>{words.codeHint}</p>
      <p className={`${textStyles.hint} ${textStyles.wrap}`}>
        {words.packing} <code>{words.packCommand}</code>
      </p>
      <p className={textStyles.wrap}>{key === "" ? words.noCode : words.hasCode(key)}</p>
      <Row>
        <FileButton
          accept=".tgz,.gz,application/gzip"
          inputProps={{ "aria-label": words.choose }}
          onChange={(file) => file !== null && upload.mutate(file)}
        >
          {(props) => (
            <Button {...props} variant="default" loading={upload.isPending}>
              {words.choose}
            </Button>
          )}
        </FileButton>
      </Row>
      {error && (
        <span className={textStyles.fault} role="alert">
          {error}
        </span>
      )}
    </Stack>
  );
}

function WhatFields() {
  return (
    <>
      <CodeField />
      <TextField
        path="testCommand"
        label={words.testCommand}
        hint={words.testCommandHint}
        example={words.testCommandExample}
        empty={null}
      />
    </>
  );
}

function MoreFields() {
  return (
    <>
      <TextField
        path="workingDir"
        label={words.workingDir}
        hint={words.workingDirHint}
        example={words.workingDirExample}
        empty={null}
      />
      <TextField
        path="engineVersion"
        label={words.engineVersion}
        hint={words.engineVersionHint}
        example={words.engineVersionExample}
        empty={null}
      />
    </>
  );
}

export const editor: KindEditor<"PLAYWRIGHT"> = {
  describe: (values) => {
    if (getText(values, "codeBundlePath") === "") return [words.describeNone, words.fails];
    const command = getText(values, "testCommand") || words.testCommandExample;
    return [words.describe(command, getText(values, "workingDir")), words.fails];
  },
  WhatFields,
  MoreFields,
};
