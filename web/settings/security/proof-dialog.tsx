import { Button, Modal, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { LinkButton } from "../../parts/buttons.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import type { Factors, Proof } from "../queries.ts";
import { words } from "./words.ts";

const own = words.proof;

/** Action for which the server may require the user to confirm their identity. */
export interface Guarded {
  readonly title?: string;
  readonly warning?: string;
  readonly run: (proof: Proof) => Promise<unknown>;
}

function isProofNeeded(error: unknown): boolean {
  return error instanceof ApiError && error.reason === "proof-needed";
}

function getFieldError(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.validation === null) return undefined;
  return `${error.message.replace(/^(password|code) /, "This ")}.`;
}

interface ProofFormProps {
  readonly factors: Factors;
  readonly guarded: Guarded;
  readonly onDone: () => void;
}

function ProofForm({ factors, guarded, onDone }: ProofFormProps) {
  const hasApp = factors.totpSince !== null;
  const [isByCode, setByCode] = useState(!factors.hasPassword);
  const [text, setText] = useState("");
  const prove = useMutation({
    mutationFn: () => guarded.run(isByCode ? { code: text } : { password: text }),
    onSuccess: onDone,
  });
  if (!hasApp && !factors.hasPassword) return <p>{own.again}</p>;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    prove.mutate();
  };
  const fault = getFieldError(prove.error);
  const Field = isByCode ? TextInput : PasswordInput;
  return (
    <Stack as="form" gap={4} onSubmit={submit}>
      {guarded.warning && <p>{guarded.warning}</p>}
      <Field
        key={String(isByCode)}
        label={isByCode ? own.code : own.password}
        autoComplete={isByCode ? "one-time-code" : "current-password"}
        inputMode={isByCode ? "numeric" : "text"}
        required
        withAsterisk={false}
        data-autofocus
        value={text}
        error={fault}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {prove.error && fault === undefined && <ErrorPanel error={prove.error} />}
      {hasApp && factors.hasPassword && (
        <LinkButton
          onClick={() => {
            setByCode(!isByCode);
            setText("");
            prove.reset();
          }}
        >
          {isByCode ? own.usePassword : own.useCode}
        </LinkButton>
      )}
      <Row justify="end">
        <Button variant="default" onClick={onDone}>
          {words.cancel}
        </Button>
        <Button type="submit" loading={prove.isPending}>
          {own.confirm}
        </Button>
      </Row>
    </Stack>
  );
}

/**
 * Returns a function that runs an action. If the server requires it, the user must first confirm
 * their identity.
 */
export function useProof(factors: Factors): {
  readonly run: (guarded: Guarded) => void;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly dialog: ReactNode;
} {
  const [asked, setAsked] = useState<Guarded | null>(null);
  const first = useMutation({
    mutationFn: async (guarded: Guarded) => {
      try {
        await guarded.run({});
      } catch (error) {
        if (!isProofNeeded(error)) throw error;
        setAsked(guarded);
      }
    },
  });
  const close = () => setAsked(null);
  const dialog = (
    <Modal
      opened={asked !== null}
      onClose={close}
      title={asked?.title ?? own.title}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {asked && <ProofForm factors={factors} guarded={asked} onDone={close} />}
    </Modal>
  );
  return { run: first.mutate, isBusy: first.isPending, error: first.error, dialog };
}
