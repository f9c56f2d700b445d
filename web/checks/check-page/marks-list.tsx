import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import { useLocationName } from "../../locations/index.ts";
import { CloseIcon } from "../../parts/icons.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { formatObjectType } from "../../parts/object-type.ts";
import textStyles from "../../parts/text.module.css";
import { DateTime } from "../../parts/time.tsx";
import { nameFields } from "../field-words.ts";
import styles from "./check-page.module.css";
import { type Timeline, timelineQuery } from "./queries.ts";
import type { CheckSearch } from "./search.ts";
import { words } from "./words.ts";

interface Mark {
  readonly key: string;
  readonly at: string;
  readonly kind: "incident" | "maintenance" | "edit" | "missed" | "annotation";
  readonly text: string;
  /** Id of the maintenance window that the mark belongs to. */
  readonly windowId?: number;
  /** Target of the mark's link. */
  readonly url?: string;
}

const shownMarks = 6;

/** Formats an audit action on a check: "alert.acknowledged" becomes "acknowledged the alert". */
function formatEdit(action: string, fields: readonly string[]): string {
  const [type = "", did = ""] = action.split(".");
  if (action === "check.updated" && fields.length > 0)
    return words.marks.changed(nameFields(fields));
  const object = type === "check" ? words.marks.thisCheck : `the ${formatObjectType(type)}`;
  return `${did === "updated" ? "changed" : did.replaceAll("-", " ")} ${object}`;
}

/**
 * Lists the events of the chart, newest first. Alerts are omitted, because they have a separate
 * tab.
 */
function listMarks(timeline: Timeline, nameLocation: (code: string) => string): Mark[] {
  const { incidents, maintenance, edits, missedRuns } = timeline;
  const { marks } = words;
  const found: Mark[] = [
    ...incidents.map(({ id, name, from, to }) => ({
      key: id,
      at: from,
      kind: "incident" as const,
      text: `${marks.incident}: ${name}${to === null ? ` (${marks.open})` : ""}`,
    })),
    ...maintenance.map(({ id, name, from }) => ({
      key: `${id} ${from}`,
      at: from,
      kind: "maintenance" as const,
      text: `${marks.maintenance}: ${name}`,
      windowId: id,
    })),
    ...missedRuns.map(({ to, location, count }) => ({
      key: `${to} ${location}`,
      at: to,
      kind: "missed" as const,
      text: marks.missed(count, location && nameLocation(location)),
    })),
    ...timeline.annotations.map(({ id, type, text, url, at, by }) => ({
      key: id,
      at,
      kind: "annotation" as const,
      text: `${marks[type === "NOTE" ? "note" : "deployment"]}: ${text}, ${marks.by(by)}`,
      ...(url !== null && { url }),
    })),
    ...edits.map(({ id, at, by, action, fields }) => ({
      key: id,
      at,
      kind: "edit" as const,
      text: `${by} ${formatEdit(action, fields)}`,
    })),
  ];
  return found.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

const pickTarget = ({ windowId, url }: Mark) => ({
  ...(windowId !== undefined && { windowId }),
  ...(url !== undefined && { url }),
});

function MarkText({ text, windowId, url }: Pick<Mark, "text" | "windowId" | "url">) {
  if (windowId !== undefined) {
    return (
      <Link to="/alerts/maintenance/$windowId" params={{ windowId: String(windowId) }}>
        {text}
      </Link>
    );
  }
  if (url === undefined) return <bdi>{text}</bdi>;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      <bdi>{text}</bdi>
    </a>
  );
}

/** Button that deletes a note or a deployment. */
function RemoveMark({ mark }: { readonly mark: Mark }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      send(api.DELETE("/v1/annotations/{id}", { params: { path: { id: mark.key } } })),
    onSuccess: () => showNotice({ text: words.marks.removed }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () => renewQueries(client, ["checks"]),
  });
  return (
    <button
      type="button"
      className={styles.markRemove}
      aria-label={words.marks.remove(mark.text)}
      disabled={remove.isPending}
      onClick={() => remove.mutate()}
    >
      <CloseIcon size={14} />
    </button>
  );
}

export function MarksList({
  checkId,
  search,
}: {
  readonly checkId: string;
  readonly search: CheckSearch;
}) {
  const { data } = useQuery(timelineQuery(checkId, search));
  const mayWrite = useMay("write");
  const nameLocation = useLocationName();
  const marks = data === undefined ? [] : listMarks(data, nameLocation).slice(0, shownMarks);
  if (marks.length === 0) return null;
  return (
    <Stack as="ul" gap={1} className={styles.marks} aria-label={words.marks.label}>
      {marks.map((mark) => (
        <li key={mark.key} data-kind={mark.kind}>
          <span className={textStyles.nowrap}>
            <DateTime at={mark.at} />
          </span>
          <Row as="span" tight>
            <MarkText text={mark.text} {...pickTarget(mark)} />
            {mayWrite && mark.kind === "annotation" && <RemoveMark mark={mark} />}
          </Row>
        </li>
      ))}
    </Stack>
  );
}
