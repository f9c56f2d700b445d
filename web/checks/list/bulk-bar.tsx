import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Row } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { type BulkTarget, deleteLater, useBulk } from "./bulk.ts";
import styles from "./bulk-bar.module.css";
import {
  type Change,
  ChannelsDialog,
  FrequencyDialog,
  LocationsDialog,
  MoveDialog,
  TagDialog,
} from "./bulk-dialogs.tsx";
import type { ListSearch } from "./search.ts";
import type { Selection } from "./use-list.ts";
import { words } from "./words.ts";

interface BulkBarProps {
  readonly search: ListSearch;
  readonly selection: Selection;
  readonly total: number;
}

const dialogs = {
  tag: TagDialog,
  move: MoveDialog,
  channels: ChannelsDialog,
  frequency: FrequencyDialog,
  locations: LocationsDialog,
} as const;
type Dialog = keyof typeof dialogs;
const dialogNames = Object.keys(dialogs) as Dialog[];
const plain = ["mute", "unmute", "activate", "deactivate"] as const;

/** Bulk actions for the selected checks. */
export function BulkBar({ search, selection, total }: BulkBarProps) {
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const client = useQueryClient();
  const bulk = useBulk();
  const count = selection.isAll ? total : selection.ids.size;
  const target: BulkTarget = {
    ids: [...selection.ids],
    search: selection.isAll ? search : null,
    count,
  };
  const change = (one: Change) => bulk.mutate({ target, ...one });
  return (
    <Row as="section" className={styles.bar} aria-label={words.bulkBar}>
      <strong className={textStyles.nowrap} role="status">
        {words.selected(count)}
      </strong>
      {!selection.isAll && total > selection.ids.size && (
        <Button size="xs" variant="subtle" onClick={selection.chooseAll}>
          {words.selectFound(total)}
        </Button>
      )}
      <Row gap={1} className={styles.buttons}>
        {plain.map((action) => (
          <Button
            key={action}
            size="xs"
            variant="default"
            disabled={bulk.isPending}
            onClick={() => change({ action })}
          >
            {words[action]}
          </Button>
        ))}
        {dialogNames.map((one) => (
          <Button key={one} size="xs" variant="default" onClick={() => setDialog(one)}>
            {words[one]}
          </Button>
        ))}
        <Button
          size="xs"
          color="red"
          variant="outline"
          onClick={() => {
            deleteLater(target, client);
            selection.clear();
          }}
        >
          {words.delete}
        </Button>
        <Button size="xs" variant="subtle" onClick={selection.clear}>
          {words.clearSelection}
        </Button>
      </Row>
      {dialogNames.map((one) => {
        const Shown = dialogs[one];
        return (
          <Shown
            key={one}
            isOpen={dialog === one}
            onClose={() => setDialog(null)}
            onChange={change}
          />
        );
      })}
    </Row>
  );
}
