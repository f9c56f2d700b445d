import { Button, Modal, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, type Schemas, send } from "../api/client.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { faultBeside, faultOf } from "../parts/field-fault.ts";
import { showNotice } from "../parts/notices.tsx";
import styles from "../settings/settings.module.css";
import { words } from "./words.ts";

export type Variable = Schemas["Variable"];
type Kind = keyof typeof words.kinds;

/** What the API takes for "as it is". */
const mask = "********";

export function kindOf({ locked, secret }: Variable): Kind {
  if (secret) return "secret";
  return locked ? "locked" : "plain";
}

interface Draft {
  readonly key: string;
  readonly value: string;
  readonly kind: Kind;
}

function toDraft(variable: Variable | null): Draft {
  if (variable === null) return { key: "", value: "", kind: "plain" };
  return { key: variable.key, value: variable.value ?? "", kind: kindOf(variable) };
}

export interface OpenedVariable {
  readonly variable: Variable;
  /** As it was when it was opened; a change names it. */
  readonly etag: string | null;
}

function save(opened: OpenedVariable | null, { key, value, kind }: Draft) {
  const flags = { locked: kind === "locked", secret: kind === "secret" };
  if (opened === null) return send(api.POST("/v1/variables", { body: { key, value, ...flags } }));
  const { variable, etag } = opened;
  // A secret is never sent to a browser, so its field is empty until somebody types.
  const kept = variable.secret && value === "" ? mask : value;
  const header = etag === null ? {} : { "if-match": etag };
  return send(
    api.PUT("/v1/variables/{key}", {
      params: { path: { key }, header },
      body: { value: kept, ...flags },
    }),
  );
}

interface VariableDialogProps {
  /** Null: a new one. */
  readonly opened: OpenedVariable | null;
  readonly onClose: () => void;
}

export function VariableDialog({ opened, onClose }: VariableDialogProps) {
  const queryClient = useQueryClient();
  const variable = opened?.variable ?? null;
  const [draft, setDraft] = useState(() => toDraft(variable));
  const saving = useMutation({
    mutationFn: () => save(opened, draft),
    onSuccess: async () => {
      onClose();
      showNotice({ text: variable === null ? words.created : words.changed });
      await queryClient.invalidateQueries({ queryKey: ["variables"] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  const wasSecret = variable?.secret === true;
  const beside = faultBeside(saving.error, ["key", "value"]);
  return (
    <Modal
      opened
      onClose={onClose}
      title={variable === null ? words.createTitle : words.changeTitle(variable.key)}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form className={styles.form} onSubmit={submit}>
        {variable === null && (
          <TextInput
            label={words.key}
            description={words.keyHint}
            required
            maxLength={255}
            data-autofocus
            spellCheck={false}
            value={draft.key}
            error={faultOf(saving.error, "key")}
            onChange={(event) => setDraft({ ...draft, key: event.currentTarget.value })}
          />
        )}
        <Textarea
          label={words.value}
          description={wasSecret ? words.secretHint : undefined}
          autosize={false}
          rows={3}
          spellCheck={false}
          value={draft.value}
          error={faultOf(saving.error, "value")}
          onChange={(event) => setDraft({ ...draft, value: event.currentTarget.value })}
        />
        <NativeSelect
          label={words.shown}
          description={wasSecret ? words.secretStays : words.kindHint}
          value={draft.kind}
          disabled={wasSecret}
          onChange={(event) => setDraft({ ...draft, kind: event.currentTarget.value as Kind })}
          data={Object.entries(words.kinds).map(([value, label]) => ({ value, label }))}
        />
        {beside && <ErrorPanel error={beside} />}
        <div className={styles.actions}>
          <Button type="submit" loading={saving.isPending}>
            {words.save}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
