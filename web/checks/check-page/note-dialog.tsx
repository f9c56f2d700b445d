import { Button, Modal, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, type Schemas, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { getFieldError, getFormError } from "../../editing/index.ts";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { showNotice } from "../../parts/notices.tsx";
import textStyles from "../../parts/text.module.css";
import { words } from "./words.ts";

type AnnotationType = Schemas["Annotation"]["type"];

interface NoteValues {
  readonly type: AnnotationType;
  readonly text: string;
  readonly url: string;
  /** Time as the value of a `datetime-local` field, which is a local time without a time zone. */
  readonly at: string;
  readonly isEverywhere: boolean;
}

/** Formats a time as the value of a `datetime-local` field. */
function toLocalTime(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

const toBody = ({ type, text, url, at, isEverywhere }: NoteValues, checkId: string) => ({
  type,
  text,
  ...(url.trim() !== "" && { url: url.trim() }),
  ...(at !== "" && { at: new Date(at).toISOString() }),
  ...(!isEverywhere && { checkId }),
});

interface FieldsProps {
  readonly values: NoteValues;
  readonly error: unknown;
  readonly onChange: (change: Partial<NoteValues>) => void;
}

function NoteFields({ values, error, onChange }: FieldsProps) {
  const own = words.note;
  return (
    <>
      <NativeSelect
        label={own.type}
        value={values.type}
        data={[
          { value: "NOTE", label: words.marks.note },
          { value: "DEPLOYMENT", label: words.marks.deployment },
        ]}
        onChange={(event) => onChange({ type: event.currentTarget.value as AnnotationType })}
      />
      <Textarea
        label={own.text}
        description={own.textHint}
        value={values.text}
        maxLength={500}
        autosize
        minRows={2}
        required
        data-autofocus
        error={getFieldError(error, "text")}
        onChange={(event) => onChange({ text: event.currentTarget.value })}
      />
      <TextInput
        label={own.at}
        type="datetime-local"
        value={values.at}
        error={getFieldError(error, "at")}
        onChange={(event) => onChange({ at: event.currentTarget.value })}
      />
      <TextInput
        label={own.url}
        value={values.url}
        maxLength={2_048}
        placeholder="https://"
        error={getFieldError(error, "url")}
        onChange={(event) => onChange({ url: event.currentTarget.value })}
      />
      <NativeSelect
        label={own.where}
        value={values.isEverywhere ? "all" : "here"}
        data={[
          { value: "here", label: own.here },
          { value: "all", label: own.everywhere },
        ]}
        onChange={(event) => onChange({ isEverywhere: event.currentTarget.value === "all" })}
      />
    </>
  );
}

function NoteForm({
  checkId,
  onClose,
}: {
  readonly checkId: string;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const [values, setValues] = useState<NoteValues>(() => ({
    type: "NOTE",
    text: "",
    url: "",
    at: toLocalTime(new Date()),
    isEverywhere: false,
  }));
  const add = useMutation({
    mutationFn: () => send(api.POST("/v1/annotations", { body: toBody(values, checkId) })),
    onSuccess: async () => {
      showNotice({ text: words.note.saved });
      await renewQueries(client, ["checks"]);
      onClose();
    },
  });
  const beside = getFormError(add.error, ["text", "at", "url"]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (values.text.trim() !== "") add.mutate();
  };
  return (
    <Stack as="form" onSubmit={submit}>
      <NoteFields
        values={values}
        error={add.error}
        onChange={(change) => setValues({ ...values, ...change })}
      />
      {beside && <ErrorPanel error={beside} />}
      <p className={textStyles.muted}>{words.note.hint}</p>
      <Row nowrap justify="end">
        <Button variant="default" onClick={onClose}>
          {words.note.cancel}
        </Button>
        <Button type="submit" loading={add.isPending} disabled={values.text.trim() === ""}>
          {words.note.save}
        </Button>
      </Row>
    </Stack>
  );
}

/** Button that opens the form for a note or a deployment. */
export function AddNote({ checkId }: { readonly checkId: string }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        {words.note.add}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={words.note.title}
        closeButtonProps={{ "aria-label": words.note.cancel }}
      >
        <NoteForm checkId={checkId} onClose={close} />
      </Modal>
    </>
  );
}
