import { Button, Modal, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { getFieldError, getFormError } from "../editing/index.ts";
import { FactList } from "../parts/blocks.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { showNotice } from "../parts/notices.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import { Ago, Lasting } from "../parts/time.tsx";
import { decideHealth, isClockWrong } from "./health.ts";
import styles from "./locations.module.css";
import type { Probe } from "./queries.ts";
import { words } from "./words.ts";

const quarantineWords = words.quarantine;

interface ReasonFormProps {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly doneText: string;
  readonly submit: (reason: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/**
 * Dialog for the reason to quarantine or release a probe. The reason is written to the audit log.
 */
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
          label={quarantineWords.reason}
          description={quarantineWords.reasonHint}
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

function QuarantineDialog({
  probe: { id },
  isLast,
  onClose,
}: DialogProps & { readonly isLast: boolean }) {
  return (
    <ReasonDialog
      title={quarantineWords.title(id)}
      text={isLast ? quarantineWords.last : quarantineWords.text}
      action={quarantineWords.put}
      doneText={quarantineWords.done(id)}
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

function ReleaseDialog({ probe: { id }, onClose }: DialogProps) {
  return (
    <ReasonDialog
      title={quarantineWords.releaseTitle(id)}
      text={quarantineWords.releaseText}
      action={quarantineWords.release}
      doneText={quarantineWords.released(id)}
      submit={(reason) =>
        send(api.POST("/v1/probes/{id}/release", { params: { path: { id } }, body: { reason } }))
      }
      onClose={onClose}
    />
  );
}

const own = words.probe;

function Addresses({ list }: { readonly list: readonly string[] }) {
  if (list.length === 0) return <span className={textStyles.muted}>{own.noAddress}</span>;
  return (
    <ul>
      {[...new Set(list)].map((address) => (
        <li key={address}>
          <code>{address}</code>
        </li>
      ))}
    </ul>
  );
}

function Clock({ probe }: { readonly probe: Probe }) {
  const { clockSkewMs, isBuiltIn } = probe;
  if (!isBuiltIn && clockSkewMs === null) return null;
  return (
    <>
      <dt>{own.clock}</dt>
      <dd>
        {isBuiltIn || clockSkewMs === null ? own.ownClock : own.skew(clockSkewMs)}
        {isClockWrong(probe) && (
          <span className={`${styles.note} ${textStyles.muted}`}>{own.skewWrong}</span>
        )}
      </dd>
    </>
  );
}

/** Shows facts that only a probe outside the server has. */
function RemoteFacts({ probe }: { readonly probe: Probe }) {
  const { spoolDepth, comparedCount, disagreeingCount } = probe;
  return (
    <>
      {spoolDepth !== null && (
        <>
          <dt>{own.spool}</dt>
          <dd>{spoolDepth.toLocaleString()}</dd>
        </>
      )}
      {comparedCount !== null && comparedCount > 0 && (
        <>
          <dt>{own.compared}</dt>
          <dd>{own.agreement(comparedCount, disagreeingCount ?? 0)}</dd>
        </>
      )}
    </>
  );
}

function Facts({ probe }: { readonly probe: Probe }) {
  const isAlive = probe.status === "alive";
  return (
    <FactList>
      <dt>{own.version}</dt>
      <dd>{probe.version}</dd>
      <dt>{own.seen}</dt>
      <dd>
        <Ago at={probe.lastSeenAt} />
      </dd>
      {isAlive && (
        <>
          <dt>{own.started}</dt>
          <dd>
            <Lasting since={probe.startedAt} />
          </dd>
        </>
      )}
      <dt>{own.transport}</dt>
      <dd>{own.transports[probe.transport]}</dd>
      <Clock probe={probe} />
      <RemoteFacts probe={probe} />
      <dt>{own.ipv4}</dt>
      <dd>
        <Addresses list={probe.ipv4} />
      </dd>
      <dt>{own.ipv6}</dt>
      <dd>
        <Addresses list={probe.ipv6} />
      </dd>
      {probe.limitations.length > 0 && (
        <>
          <dt>{own.limitations}</dt>
          <dd>
            <ul>
              {probe.limitations.map((one) => (
                <li key={one}>{one}</li>
              ))}
            </ul>
          </dd>
        </>
      )}
    </FactList>
  );
}

interface ProbeFactsProps {
  readonly probe: Probe;
  /** Whether no other trusted probe of this location is online. */
  readonly isLast: boolean;
  readonly isPrivate: boolean;
}

export function ProbeFacts({ probe, isLast, isPrivate }: ProbeFactsProps) {
  const mayWrite = useMay(isPrivate ? "write" : "admin");
  const [dialog, setDialog] = useState<"quarantine" | "release" | null>(null);
  const isAlive = probe.status === "alive";
  const { state, text } = decideHealth({
    servedBy: isAlive ? "own-probe" : "nobody",
    probes: [probe],
  });
  const close = () => setDialog(null);
  return (
    <Stack as="li" gap={2} className={styles.probe}>
      <Row as="h3" tight className={textStyles.wrap}>
        <StateMark state={isAlive ? state : "unknown"} />
        <bdi>{probe.id}</bdi>
        <span className={`${textStyles.muted} ${textStyles.regular}`}>
          {isAlive ? text : words.health.silent}
          {probe.isBuiltIn && `, ${own.builtIn}`}
        </span>
      </Row>
      {probe.quarantinedAt !== null && (
        <p>
          {words.quarantine.since} <Ago at={probe.quarantinedAt} />: {probe.quarantineReason}
        </p>
      )}
      <Facts probe={probe} />
      {mayWrite && !probe.isBuiltIn && (
        <div>
          <Button
            variant="default"
            size="xs"
            onClick={() => setDialog(probe.quarantinedAt === null ? "quarantine" : "release")}
          >
            {probe.quarantinedAt === null ? words.quarantine.put : words.quarantine.release}
          </Button>
        </div>
      )}
      {dialog === "quarantine" && (
        <QuarantineDialog probe={probe} isLast={isLast && isPrivate} onClose={close} />
      )}
      {dialog === "release" && <ReleaseDialog probe={probe} onClose={close} />}
    </Stack>
  );
}

export function ProbeList({
  probes,
  isPrivate,
}: {
  readonly probes: readonly Probe[];
  readonly isPrivate: boolean;
}) {
  const isTrusted = ({ status, quarantinedAt }: Probe) =>
    status === "alive" && quarantinedAt === null;
  return (
    <ul className={listStyles.list}>
      {probes.map((probe) => (
        <ProbeFacts
          key={probe.id}
          probe={probe}
          isPrivate={isPrivate}
          isLast={!probes.some((other) => other.id !== probe.id && isTrusted(other))}
        />
      ))}
    </ul>
  );
}
