import { Button, Modal, Radio, Textarea, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { getFieldError } from "../editing/index.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { MuteIcon } from "../parts/icons.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import { formatDateTime } from "../parts/time.tsx";
import { type MuteTarget, sendMutes, useMuteRenewal } from "./mute-parts.tsx";
import {
  findMuteEnd,
  findTomorrowMorning,
  type MuteChoice,
  muteChoices,
  toFieldTime,
} from "./mute-times.ts";
import { words } from "./words.ts";

const own = words.mutes;
const maxReason = 500;

interface MuteDialogProps {
  readonly isOpen: boolean;
  /** Title with the name of the muted object, such as "Mute Shop". */
  readonly title: string;
  readonly listTargets: () => Promise<readonly MuteTarget[]>;
  /**
   * Returns whether the user has selected a target. Without a target, the mute cannot be created.
   */
  readonly canSend?: () => boolean;
  readonly onClose: () => void;
  /** Fields that select the objects to mute. */
  readonly children?: ReactNode;
}

/** Dialog that creates mutes. The user selects when the mutes end, and may enter a reason. */
export function MuteDialog(props: MuteDialogProps) {
  const { isOpen, title, onClose, children } = props;
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      closeButtonProps={{ "aria-label": own.cancel }}
    >
      {isOpen && <MuteForm {...props}>{children}</MuteForm>}
    </Modal>
  );
}

interface EndChoiceProps {
  readonly choice: MuteChoice;
  readonly onChange: (choice: MuteChoice) => void;
}

function EndChoice({ choice, onChange }: EndChoiceProps) {
  return (
    <Radio.Group
      label={own.until}
      value={choice}
      onChange={(value) => onChange(value as MuteChoice)}
    >
      <Stack gap={2}>
        {muteChoices.map((one) => (
          <Radio key={one} value={one} label={own.choices[one]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

function useMuting({ listTargets, onClose }: MuteDialogProps) {
  const renew = useMuteRenewal();
  return useMutation({
    mutationFn: async ({ end, reason }: { readonly end: Date; readonly reason: string }) =>
      sendMutes(await listTargets(), { mutedUntil: end.toISOString(), reason }),
    onSuccess: (_, { end }) => {
      showNotice({ text: own.muted(formatDateTime(end)) });
      onClose();
    },
    onSettled: renew,
  });
}

function MuteForm(props: MuteDialogProps) {
  const { canSend = () => true, onClose, children } = props;
  const [choice, setChoice] = useState<MuteChoice>("60");
  const [date, setDate] = useState(() => toFieldTime(findTomorrowMorning(Date.now())));
  const [reason, setReason] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const mute = useMuting(props);
  const { error } = mute;
  const dateError = getFieldError(error, "mutedUntil");
  const submit = () => {
    const end = findMuteEnd(choice, date, Date.now());
    setFault(end === null ? own.notInFuture : canSend() ? null : own.noTarget);
    if (end !== null && canSend()) mute.mutate({ end, reason });
  };
  return (
    <Stack
      as="form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {children}
      <EndChoice choice={choice} onChange={setChoice} />
      {choice === "date" && (
        <TextInput
          type="datetime-local"
          label={own.date}
          value={date}
          error={dateError}
          onChange={({ currentTarget }) => setDate(currentTarget.value)}
        />
      )}
      <Textarea
        label={own.reason}
        description={own.reasonHint}
        autosize
        maxRows={4}
        maxLength={maxReason}
        value={reason}
        error={getFieldError(error, "reason")}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      <p className={textStyles.muted}>{own.hint}</p>
      {fault !== null && (
        <p role="alert" className={textStyles.bad}>
          {fault}
        </p>
      )}
      {error && !(dateError && choice === "date") && <ErrorPanel error={error} />}
      <Row nowrap justify="end">
        <Button variant="default" onClick={onClose}>
          {own.cancel}
        </Button>
        <Button type="submit" loading={mute.isPending} leftSection={<MuteIcon size={14} />}>
          {own.mute}
        </Button>
      </Row>
    </Stack>
  );
}
