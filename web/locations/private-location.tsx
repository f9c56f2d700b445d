import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, send } from "../api/client.ts";
import { useMay } from "../api/session.ts";
import { useDeletion } from "../api/use-deletion.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, ScreenBody, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { AddProbeDialog, StartCommand } from "./add-probe.tsx";
import { Comparison, Firewall } from "./comparison.tsx";
import { decidePrivateHealth } from "./health.ts";
import { RenameDialog } from "./location-dialog.tsx";
import { LocationKeys } from "./location-keys.tsx";
import styles from "./locations.module.css";
import { ProbeList } from "./probe-facts.tsx";
import { checkCountsQuery, type PrivateLocation } from "./queries.ts";
import { WaitingRuns } from "./waiting-runs.tsx";
import { words } from "./words.ts";

const own = words.own;

interface DialogProps {
  readonly location: PrivateLocation;
  readonly onClose: () => void;
}

function RemoveDialog({ location: { id, name, slugName }, onClose }: DialogProps) {
  const navigate = useNavigate();
  const removing = useDeletion({
    of: [["private-locations", id]],
    send: () => send(api.DELETE("/v1/private-locations/{id}", { params: { path: { id } } })),
    leave: () => {
      showNotice({ text: own.removed });
      return navigate({ to: "/locations" });
    },
    renew: [["private-locations"]],
  });
  return (
    <ConfirmDialog
      isOpen
      title={own.removeTitle(name)}
      action={own.remove}
      isBusy={removing.isPending}
      onConfirm={() => removing.mutate()}
      onCancel={onClose}
    >
      <p>{own.removeText}</p>
      {removing.error && (
        <>
          <ErrorPanel error={removing.error} />
          <Link to="/checks" search={{ location: [slugName] }}>
            {own.inUse}
          </Link>
        </>
      )}
    </ConfirmDialog>
  );
}

function Actions({ location }: { readonly location: PrivateLocation }) {
  const mayAdd = useMay("admin");
  const [open, setOpen] = useState<"add" | "rename" | "remove" | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      {mayAdd && <Button onClick={() => setOpen("add")}>{words.add.title}</Button>}
      <Button variant="default" onClick={() => setOpen("rename")}>
        {own.rename}
      </Button>
      <Button variant="default" onClick={() => setOpen("remove")}>
        {own.remove}
      </Button>
      {open === "add" && <AddProbeDialog locationId={location.id} onClose={close} />}
      {open === "rename" && <RenameDialog location={location} onClose={close} />}
      {open === "remove" && <RemoveDialog location={location} onClose={close} />}
    </>
  );
}

/** Detail view of a private location: health, probes, keys and queued runs. */
export function PrivateLocationView({ location }: { readonly location: PrivateLocation }) {
  const { id, name, slugName, probes } = location;
  const mayWrite = useMay("write");
  const { data: counts } = useQuery(checkCountsQuery);
  const health = decidePrivateHealth(location);
  const count = counts?.get(slugName) ?? 0;
  return (
    <>
      <PageHeader
        title={<bdi>{name}</bdi>}
        actions={mayWrite ? <Actions location={location} /> : undefined}
      >
        <Link to="/locations">{words.back}</Link>
      </PageHeader>
      <ScreenBody>
        <Row as="p" gap={3}>
          <StateMark state={health.state} /> {health.text}
          <span className={styles.faint}>{slugName}</span>
        </Row>
        <p>
          {counts && words.checks(count)}{" "}
          {count > 0 && (
            <Link to="/checks" search={{ location: [slugName] }}>
              {words.allChecks}
            </Link>
          )}
        </p>
        <Stack as="section" className={styles.part} aria-labelledby="probes">
          <h2 id="probes">{words.probes}</h2>
          {probes.length === 0 &&
            (mayWrite ? <StartCommand /> : <p className={styles.faint}>{words.noProbes}</p>)}
          <ProbeList probes={probes} isPrivate />
        </Stack>
        <LocationKeys location={location} />
        <WaitingRuns locationId={id} />
        <Firewall probes={probes} />
        <Comparison region={slugName} />
      </ScreenBody>
    </>
  );
}
