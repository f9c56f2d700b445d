import { Button, Modal, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { getFieldError, getFormError } from "../editing/index.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import type { Probe } from "./queries.ts";
import { words } from "./words.ts";

const own = words.quarantine;

interface ReasonFormProps {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly doneText: string;
  readonly submit: (reason: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Quarantine and release both require a reason, which is written to the audit log. */
function ReasonDialog({ title, text, action, doneText, submit, onClose }: ReasonFormProps) {
  const queryClient = useQueryClient();
  const [reason, setReason] = useState("");
  const saving = useMutation({
    mutationFn: () => submit(reason.trim()),
    onSuccess: async () => {
      onClose();
      showNotice({ text: doneText });
      await Promise.all([
        renewQueries(queryClient, ["private-locations"]),
        renewQueries(queryClient, ["locations"]),
      ]);
    },
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  const beside = getFormError(saving.error, ["reason"]);
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": "Close" }}>
      <Stack as="form" gap={4} onSubmit={send}>
        <p>{text}</p>
        <TextInput
          label={own.reason}
          description={own.reasonHint}
          required
          maxLength={500}
          data-autofocus
          value={reason}
          error={getFieldError(saving.error, "reason")}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {beside && <ErrorPanel error={beside} />}
        <Row gap={3} justify="end">
          <Button type="submit" loading={saving.isPending}>
            {action}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}

interface DialogProps {
  readonly probe: Probe;
  readonly onClose: () => void;
}

export function QuarantineDialog({
  probe: { id },
  isLast,
  onClose,
}: DialogProps & { readonly isLast: boolean }) {
  return (
    <ReasonDialog
      title={own.title(id)}
      text={isLast ? own.last : own.text}
      action={own.put}
      doneText={own.done(id)}
      submit={(reason) =>
        send(
          api.POST("/v1/probes/{id}/quarantine", {
            params: { path: { id } },
            body: { reason, leavesNone: isLast },
          }),
        )
      }
      onClose={onClose}
    />
  );
}

export function ReleaseDialog({ probe: { id }, onClose }: DialogProps) {
  return (
    <ReasonDialog
      title={own.releaseTitle(id)}
      text={own.releaseText}
      action={own.release}
      doneText={own.released(id)}
      submit={(reason) =>
        send(api.POST("/v1/probes/{id}/release", { params: { path: { id } }, body: { reason } }))
      }
      onClose={onClose}
    />
  );
}
