import { Button, Modal, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { groupsQuery } from "../../groups/queries.ts";
import { type BulkRequest, type BulkTarget, useBulk } from "./bulk.ts";
import styles from "./bulk-bar.module.css";
import { deleteLater } from "./pending-delete.ts";
import type { ListSearch } from "./search.ts";
import type { Selection } from "./selection.ts";
import { words } from "./words.ts";

interface BulkBarProps {
  readonly search: ListSearch;
  readonly selection: Selection;
  readonly total: number;
}

type Change = Omit<BulkRequest, "target">;

function TagDialog(props: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onChange: (change: Change) => void;
}) {
  const { isOpen, onClose, onChange } = props;
  const [text, setText] = useState("");
  const tags = [...new Set(text.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "");
  const change = (action: "addTags" | "removeTags") => {
    onChange({ action, tags });
    setText("");
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={words.tag}
      closeButtonProps={{ "aria-label": words.cancel }}
    >
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (tags.length > 0) change("addTags");
        }}
      >
        <TextInput
          label={words.tagsField}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          maxLength={2_000}
          data-autofocus
        />
        <div className={styles.actions}>
          <Button
            variant="default"
            disabled={tags.length === 0}
            onClick={() => change("removeTags")}
          >
            {words.removeTags}
          </Button>
          <Button type="submit" disabled={tags.length === 0}>
            {words.addTags}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

function MoveDialog(props: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onChange: (change: Change) => void;
}) {
  const { isOpen, onClose, onChange } = props;
  const { data: groups = [] } = useQuery({ ...groupsQuery, enabled: isOpen });
  const move = (groupId: number | null) => {
    onChange({ action: "move", groupId });
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={words.moveTo}
      closeButtonProps={{ "aria-label": words.cancel }}
    >
      <ul className={styles.groups}>
        {groups.map(({ id, name }) => (
          <li key={id}>
            <button type="button" className={styles.group} onClick={() => move(id)}>
              <bdi>{name}</bdi>
            </button>
          </li>
        ))}
        <li>
          <button type="button" className={styles.group} onClick={() => move(null)}>
            {words.noGroup}
          </button>
        </li>
      </ul>
    </Modal>
  );
}

const plain = ["mute", "unmute", "activate", "deactivate"] as const;

/** What can be done with the selected checks. */
export function BulkBar({ search, selection, total }: BulkBarProps) {
  const [dialog, setDialog] = useState<"tags" | "move" | null>(null);
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
    <section className={styles.bar} aria-label={words.bulkBar}>
      <strong className={styles.count} role="status">
        {words.selected(count)}
      </strong>
      {!selection.isAll && total > selection.ids.size && (
        <Button size="xs" variant="subtle" onClick={selection.chooseAll}>
          {words.selectFound(total)}
        </Button>
      )}
      <div className={styles.buttons}>
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
        <Button size="xs" variant="default" onClick={() => setDialog("tags")}>
          {words.tag}
        </Button>
        <Button size="xs" variant="default" onClick={() => setDialog("move")}>
          {words.move}
        </Button>
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
      </div>
      <TagDialog isOpen={dialog === "tags"} onClose={() => setDialog(null)} onChange={change} />
      <MoveDialog isOpen={dialog === "move"} onClose={() => setDialog(null)} onChange={change} />
    </section>
  );
}
