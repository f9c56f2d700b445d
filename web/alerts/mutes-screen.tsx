import { Button, Radio } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "../api/session.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { MuteIcon } from "../parts/icons.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { TagsField } from "../parts/tags-field.tsx";
import textStyles from "../parts/text.module.css";
import styles from "./alerts.module.css";
import { AlertsFrame } from "./alerts-frame.tsx";
import { MuteDialog } from "./mute-dialog.tsx";
import { type MuteTarget, MuteText, nameMuted, UnmuteButton } from "./mute-parts.tsx";
import { type Mute, mutesQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.mutes;
type Scope = "ACCOUNT" | "TAG";

function listChosen(scope: Scope, text: string): MuteTarget[] {
  if (scope === "ACCOUNT") return [{ type: "ACCOUNT" }];
  const tags = new Set(text.split(",").map((tag) => tag.trim()));
  return [...tags].filter((tag) => tag !== "").map((tag) => ({ type: "TAG", tag }));
}

/**
 * Creates a mute of the whole account or of tags. Checks and groups are muted on their own screens.
 */
function NewMute() {
  const [isOpen, setOpen] = useState(false);
  const [scope, setScope] = useState<Scope>("TAG");
  const [tags, setTags] = useState("");
  return (
    <>
      <Button leftSection={<MuteIcon size={16} />} onClick={() => setOpen(true)}>
        {own.create}
      </Button>
      <MuteDialog
        isOpen={isOpen}
        title={own.create}
        listTargets={() => Promise.resolve(listChosen(scope, tags))}
        canSend={() => listChosen(scope, tags).length > 0}
        onClose={() => setOpen(false)}
      >
        <Radio.Group
          label={own.what}
          description={own.whatHint}
          value={scope}
          onChange={(value) => setScope(value as Scope)}
        >
          <Stack gap={2}>
            <Radio value="TAG" label={own.byTag} />
            <Radio value="ACCOUNT" label={own.all} />
          </Stack>
        </Radio.Group>
        {scope === "TAG" && (
          <TagsField label={own.tags} value={tags} onChange={setTags} maxLength={2_000} />
        )}
      </MuteDialog>
    </>
  );
}

function MutedName({ mute }: { readonly mute: Mute }) {
  const { checkId, groupId } = mute.target;
  if (checkId !== null) {
    return (
      <Link to="/checks/$checkId" params={{ checkId }}>
        <bdi>{mute.name}</bdi>
      </Link>
    );
  }
  if (groupId !== null) {
    return (
      <Link to="/groups/$groupId" params={{ groupId: `${groupId}` }}>
        <bdi>{nameMuted(mute)}</bdi>
      </Link>
    );
  }
  return <bdi>{nameMuted(mute)}</bdi>;
}

function MutesScreen() {
  const mayWrite = useMay("write");
  const { data } = useSuspenseQuery(mutesQuery());
  return (
    <AlertsFrame tabTitle={words.muted} actions={mayWrite && <NewMute />}>
      {data.length === 0 && (
        <EmptyState title={own.empty}>
          <p>{own.emptyText}</p>
        </EmptyState>
      )}
      {data.length > 0 && (
        <ul className={listStyles.list}>
          {data.map((mute) => (
            <Row as="li" key={mute.id} gap={4} tight className={`${listStyles.item} ${styles.row}`}>
              <span className={styles.main}>
                <MutedName mute={mute} />{" "}
                <span className={`${textStyles.muted} ${textStyles.wrap}`}>
                  <MuteText mute={mute} />
                </span>
              </span>
              {mayWrite && <UnmuteButton mute={mute} />}
            </Row>
          ))}
        </ul>
      )}
    </AlertsFrame>
  );
}

export const route = createLazyRoute("/signed-in/alerts/mutes")({ component: MutesScreen });
