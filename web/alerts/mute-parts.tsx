import { Button, Modal, Radio, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import type { components } from "../api/schema.d.ts";
import { useMay } from "../api/session.ts";
import { getFieldError } from "../editing/index.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { MuteIcon } from "../parts/icons.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import { DateTime, formatDateTime } from "../parts/time.tsx";
import {
  findMuteEnd,
  findTomorrowMorning,
  type MuteChoice,
  muteChoices,
  toFieldTime,
} from "./mute-times.ts";
import { type Mute, type MuteScope, mutesQuery } from "./queries.ts";
import { words } from "./words.ts";

type MuteBody = components["requestBodies"]["MuteManyInput"]["content"]["application/json"];
export type MuteTarget = MuteBody["targets"][number];

const own = words.mutes;
const maxReason = 500;

/** Maximum number of targets per request. */
const maxTargets = 1_000;

/** Mutes targets until a time; `null` ends their mutes. */
export async function sendMutes(
  targets: readonly MuteTarget[],
  change: { readonly mutedUntil: string | null; readonly reason?: string },
): Promise<void> {
  for (let at = 0; at < targets.length; at += maxTargets) {
    const part = targets.slice(at, at + maxTargets);
    await send(api.PUT("/v1/mutes", { body: { ...change, targets: part } }));
  }
}

function useRenewal() {
  const client = useQueryClient();
  return () => Promise.all([renewQueries(client, ["mutes"]), renewQueries(client, ["now"])]);
}

interface MuteDialogProps {
  readonly isOpen: boolean;
  /** Names what is muted: "Mute Shop". */
  readonly title: string;
  readonly listTargets: () => Promise<readonly MuteTarget[]>;
  /** Whether a target is selected, so that the mute can be created. */
  readonly canSend?: () => boolean;
  readonly onClose: () => void;
  /** Fields that choose what is muted. */
  readonly children?: ReactNode;
}

/** Asks until when alerts are held, and why. */
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
  const renew = useRenewal();
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

/** Ends a mute, also one of another user. */
export function UnmuteButton({ mute }: { readonly mute: Mute }) {
  const renew = useRenewal();
  const end = useMutation({
    mutationFn: () => send(api.DELETE("/v1/mutes/{id}", { params: { path: { id: mute.id } } })),
    onSuccess: () => showNotice({ text: own.unmuted }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: renew,
  });
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={end.isPending}
      aria-label={own.unmuteNamed(nameMuted(mute))}
      onClick={() => end.mutate()}
    >
      {own.unmute}
    </Button>
  );
}

/** Names what a mute applies to: "Group Shop". */
export function nameMuted({ target, name }: Mute): string {
  return `${own.types[target.type]} ${name}`.trim();
}

/** Shows "until … by …: reason". */
export function MuteText({ mute }: { readonly mute: Mute }) {
  return (
    <>
      {own.mutedUntil} <DateTime at={mute.mutedUntil} /> {own.by} <bdi>{mute.author}</bdi>
      {mute.reason === "" ? "." : ": "}
      {mute.reason !== "" && <q>{mute.reason}</q>}
    </>
  );
}

/** Lists the mutes that apply to a check or group, each with a button that ends it. */
export function MuteNotes({ scope }: { readonly scope: MuteScope }) {
  const mayWrite = useMay("write");
  const { data: mutes = [] } = useQuery(mutesQuery(scope));
  if (mutes.length === 0) return null;
  return (
    <Stack as="ul" gap={1} aria-label={own.applying}>
      {mutes.map((mute) => {
        const { checkId, groupId } = mute.target;
        const isOwn = checkId === (scope.checkId ?? "") || groupId === (scope.groupId ?? 0);
        return (
          <Row as="li" key={mute.id} tight className={textStyles.wrap}>
            <MuteIcon size={14} />
            <span className={textStyles.wrap}>
              {!isOwn && <bdi>{`${nameMuted(mute)}: `}</bdi>}
              <MuteText mute={mute} />
            </span>
            {mayWrite && <UnmuteButton mute={mute} />}
          </Row>
        );
      })}
    </Stack>
  );
}
