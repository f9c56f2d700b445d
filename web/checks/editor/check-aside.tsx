import { useQuery } from "@tanstack/react-query";
import { findKind } from "../../kinds/index.ts";
import type { KindEditor } from "../../kinds/kind.ts";
import { locationsQuery, privateNamesQuery } from "../../locations/index.ts";
import blockStyles from "../../parts/blocks.module.css";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { describeSchedule } from "./describe-check.ts";
import styles from "./editor.module.css";
import { channelsQuery } from "./queries.ts";
import { TryPanel } from "./try-panel.tsx";
import type { CheckEditor } from "./use-check-editor.ts";
import { words } from "./words.ts";

interface CheckAsideProps {
  readonly editor: CheckEditor;
  readonly own: KindEditor | null;
  readonly checkId: string | null;
  /** False if there is no space beside the fields; then the form shows it near the target. */
  readonly hasTry: boolean;
}

/** Summary of the settings and a test run, beside the fields. */
export function CheckAside({ editor, own, checkId, hasTry }: CheckAsideProps) {
  const { data: locations = [] } = useQuery(locationsQuery);
  const { data: privates = [] } = useQuery(privateNamesQuery);
  const { data: channels = [] } = useQuery(channelsQuery);
  const { values, kind } = editor;
  const known = {
    kind,
    locations: new Map([
      ...locations.map(({ region, name }) => [region, name] as const),
      ...privates.map(({ slugName, name }) => [slugName, name] as const),
    ]),
    channelCount: channels.length,
  };
  const sentences = [
    ...(own?.describe(values, kind.defaults) ?? []),
    ...describeSchedule(values, known),
  ];
  return (
    <Stack as="aside" gap={6} className={styles.aside}>
      <Stack as="section" className={blockStyles.card} aria-label={words.willDo}>
        <h2>{words.willDo}</h2>
        <Stack as="ul" gap={2}>
          {sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </Stack>
      </Stack>
      {hasTry && <TryBox editor={editor} own={own} checkId={checkId} />}
    </Stack>
  );
}

/** A test run of the settings, or why there is none. */
export function TryBox({ editor, own, checkId }: Omit<CheckAsideProps, "hasTry">) {
  const target = findKind(editor.values.checkType);
  if (target?.isOrdered !== true) return <p className={textStyles.hint}>{target?.noTrial}</p>;
  return <TryPanel editor={editor} own={own} checkId={checkId} />;
}
