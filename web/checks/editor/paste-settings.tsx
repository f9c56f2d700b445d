import { Radio } from "@mantine/core";
import { useMemo } from "react";
import { EditorContext, type FieldEditor } from "../../kinds/editor/editor-context.ts";
import { FieldRow } from "../../kinds/editor/fields.tsx";
import type { AnyValues } from "../../kinds/form-values.ts";
import type { KindTarget } from "../../kinds/kind.ts";
import { bareNameKinds, type ListItem } from "../../kinds/list/parse-list.ts";
import { useFindKind } from "../../kinds/queries.ts";
import { mergeFields, setAt } from "../../parts/fields.ts";
import { Row } from "../../parts/layout.tsx";
import { GroupField, OwnTagsField } from "./more-fields.tsx";
import { Channels } from "./notification-fields.tsx";
import { Section } from "./section.tsx";
import { FrequencyField } from "./when-fields.tsx";
import { listWords } from "./words.ts";

/** Settings shared by all checks of a pasted list. */
export const createListSettings = (): AnyValues => ({ frequency: 1, groupId: null, tags: [] });

interface PasteSettingsProps {
  readonly settings: AnyValues;
  readonly onChange: (change: (before: AnyValues) => AnyValues) => void;
  readonly bareNames: readonly ListItem[];
  readonly onBareKind: (kind: KindTarget) => void;
}

/** Edits frequency, group, tags and channels of all checks of the list. */
export function PasteSettings(props: PasteSettingsProps) {
  const { settings, onChange, bareNames, onBareKind } = props;
  // The limits of these settings are the same for all types that a list can contain.
  const kind = useFindKind()(bareNameKinds[0]?.type);
  const editor = useMemo(
    (): FieldEditor => ({
      values: settings,
      kind,
      isNew: true,
      set: (path, value) => onChange((before) => setAt(before, path, value)),
      merge: (fields) => onChange((before) => mergeFields(before, fields)),
      findFieldError: () => null,
      noteLabel: () => {},
    }),
    [settings, kind, onChange],
  );
  return (
    <EditorContext value={editor}>
      <Section title={listWords.settings}>
        <FieldRow>
          <FrequencyField />
          <GroupField />
          <OwnTagsField />
        </FieldRow>
        <Channels />
        {bareNames.length > 0 && <BareNames items={bareNames} onChoose={onBareKind} />}
      </Section>
    </EditorContext>
  );
}

interface BareNamesProps {
  readonly items: readonly ListItem[];
  readonly onChoose: (kind: KindTarget) => void;
}

function BareNames({ items, onChoose }: BareNamesProps) {
  const types = new Set(items.map(({ checkType }) => checkType));
  const [only] = types;
  return (
    <Radio.Group
      label={listWords.bareNames(items.length)}
      value={types.size === 1 ? (only ?? "") : ""}
      onChange={(type) => {
        const kind = bareNameKinds.find((one) => one.type === type);
        if (kind) onChoose(kind);
      }}
    >
      <Row gap={6}>
        {bareNameKinds.map(({ type, label }) => (
          <Radio key={type} value={type} label={label} />
        ))}
      </Row>
    </Radio.Group>
  );
}
