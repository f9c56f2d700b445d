import { Button, Modal } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { Callout } from "../parts/blocks.tsx";
import { CopyButton } from "../parts/buttons.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import { writeContainerCommand, writeShellCommand } from "./commands.ts";
import styles from "./locations.module.css";
import { privateLocationsQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.add;
/** Polling interval, short because the user waits for the new probe to connect. */
const pollMs = 2_000;

/** Placeholder in the start command for a key that cannot be shown again. */
const unknownKey = "<key>";

/**
 * Shows the start command with a placeholder for the key, because a key is shown only when it is
 * created.
 */
export function StartCommand() {
  const options = { server: location.origin, key: unknownKey };
  return (
    <>
      <p>{own.start}</p>
      <Command title={own.shell} text={writeShellCommand(options)} copy={own.copyShell} />
      <Command
        title={own.container}
        text={writeContainerCommand(options)}
        copy={own.copyContainer}
      />
      <CommandHints />
      <p className={textStyles.muted}>{own.lostKey}</p>
    </>
  );
}

/** Says what the commands need: the image is built from a checkout, and the server is reachable. */
function CommandHints() {
  const isLoopback = /^(localhost|127\.|\[::1\])/.test(location.hostname);
  return (
    <>
      <p className={textStyles.muted}>{own.image}</p>
      {isLoopback && (
        <Callout as="p" tone="fair" align="start">
          {own.loopback(location.origin)}
        </Callout>
      )}
    </>
  );
}

function Command({ text, title, copy }: { text: string; title: string; copy: string }) {
  return (
    <Stack className={styles.part}>
      <span>{title}</span>
      <code className={textStyles.code}>{text}</code>
      <div>
        <CopyButton text={text} label={copy} />
      </div>
    </Stack>
  );
}

interface FirstStepsProps {
  readonly locationId: string;
  readonly created: Pick<Schemas["ProbeKey"], "id" | "rawKey">;
  readonly onDone: () => void;
}

/** Shows the start command with the key, then the probe after it has connected. */
export function FirstSteps({ locationId, created, onDone }: FirstStepsProps) {
  const { data } = useQuery({ ...privateLocationsQuery, refetchInterval: pollMs });
  const probes = data?.find(({ id }) => id === locationId)?.probes ?? [];
  const arrived = probes.find(({ keyId, status }) => keyId === created.id && status === "alive");
  const options = { server: location.origin, key: created.rawKey };
  return (
    <Stack gap={4}>
      <p>{own.once}</p>
      <Command title={own.shell} text={writeShellCommand(options)} copy={own.copyShell} />
      <Command
        title={own.container}
        text={writeContainerCommand(options)}
        copy={own.copyContainer}
      />
      <CommandHints />
      <Row as="p" nowrap gap={3} role="status" className={styles.waiting}>
        <StateMark state={arrived === undefined ? "unknown" : "passing"} />
        <span>{arrived === undefined ? own.waiting : own.arrived(arrived.id)}</span>
      </Row>
      <Row gap={3} justify="end">
        <Button onClick={onDone}>{own.done}</Button>
      </Row>
    </Stack>
  );
}

interface AddProbeProps {
  readonly locationId: string;
  readonly onClose: () => void;
}

/** Creates a key for a new probe as soon as the dialog opens, and shows the start command. */
export function AddProbeDialog({ locationId, onClose }: AddProbeProps) {
  const queryClient = useQueryClient();
  const making = useMutation({
    mutationFn: () =>
      send(api.POST("/v1/private-locations/{id}/keys", { params: { path: { id: locationId } } })),
    onSuccess: () => renewQueries(queryClient, ["private-locations"]),
  });
  const { mutate } = making;
  const isAsked = useRef(false);
  useEffect(() => {
    if (!isAsked.current) mutate();
    isAsked.current = true;
  }, [mutate]);
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      title={own.title}
      closeButtonProps={{ "aria-label": "Close" }}
      // Clicking outside must not close the dialog, because the key cannot be shown again.
      closeOnClickOutside={making.data === undefined}
      closeOnEscape={making.data === undefined}
    >
      {making.data === undefined ? (
        <Stack gap={4}>
          <p>{own.intro}</p>
          {making.error ? (
            <ErrorPanel error={making.error} onRetry={() => making.mutate()} />
          ) : (
            <Skeleton rows={4} />
          )}
        </Stack>
      ) : (
        <FirstSteps locationId={locationId} created={making.data} onDone={onClose} />
      )}
    </Modal>
  );
}
