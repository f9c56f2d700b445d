import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { describeChannel } from "../alerts/describe-channel.ts";
import { ApiError } from "../api/api-error.ts";
import { useMay } from "../api/session.ts";
import { ConflictPanel } from "../checks/editor/conflict-panel.tsx";
import { locationsQuery, privateNamesQuery } from "../locations/location-name.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { faultOf } from "../parts/field-fault.ts";
import { fromShown, labels, type ShownNames, toShown } from "./group-conflict.ts";
import { GroupForm } from "./group-form.tsx";
import styles from "./groups.module.css";
import { channelsQuery, type StoredGroup } from "./queries.ts";
import { useGroupEditor } from "./use-group-editor.ts";
import { words } from "./words.ts";

/** Returns the API's messages by the field that they are about. */
function readFaults(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {};
  const keys = Object.keys(error.fieldErrors).map((key) => key.split(".")[0] ?? "");
  return Object.fromEntries(keys.map((key) => [key, faultOf(error, key) ?? error.message]));
}

function useShownNames(): ShownNames {
  const { data: channels = [] } = useQuery(channelsQuery);
  const { data: locations = [] } = useQuery(locationsQuery);
  const { data: own = [] } = useQuery(privateNamesQuery);
  return {
    channels: new Map(channels.map((channel) => [channel.id, describeChannel(channel)])),
    locations: new Map([
      ...locations.map(({ region, name }) => [region, name] as const),
      ...own.map(({ slugName, name }) => [slugName, name] as const),
    ]),
  };
}

interface ConflictProps {
  readonly conflict: NonNullable<ReturnType<typeof useGroupEditor>["conflict"]>;
  readonly onSettle: ReturnType<typeof useGroupEditor>["settle"];
}

function GroupConflict({ conflict, onSettle }: ConflictProps) {
  const names = useShownNames();
  const { base, mine, theirs } = conflict;
  const [was, own, now] = [base, mine, theirs].map((one) => toShown(one, names));
  if (was === undefined || own === undefined || now === undefined) return null;
  return (
    <ConflictPanel
      title={words.conflict}
      conflict={{ base: was, mine: own, theirs: now, etag: null }}
      labels={labels}
      onSettle={(chosen) => onSettle(fromShown(chosen, [base, mine, theirs], names))}
    />
  );
}

/** The settings of a group; a new group if `stored` is `null`. */
export function GroupEditor({ stored }: { readonly stored: StoredGroup | null }) {
  const mayWrite = useMay("write");
  const { values, save, change, conflict, settle } = useGroupEditor(stored);
  const faults = readFaults(save.error);
  const isNamed = values.name.trim() !== "";
  return (
    <form
      className={styles.content}
      onSubmit={(event) => {
        event.preventDefault();
        if (isNamed) save.mutate();
      }}
    >
      {conflict && <GroupConflict conflict={conflict} onSettle={settle} />}
      <GroupForm values={values} isReadOnly={!mayWrite} faults={faults} onChange={change} />
      {save.error && Object.keys(faults).length === 0 && <ErrorPanel error={save.error} />}
      {mayWrite ? (
        <div className={styles.actions}>
          <Button type="submit" loading={save.isPending} disabled={!isNamed || conflict !== null}>
            {stored === null ? words.create : words.save}
          </Button>
        </div>
      ) : (
        <p className={styles.faint}>{words.mayNot}</p>
      )}
    </form>
  );
}
