import { Button, Radio, Textarea, TextInput } from "@mantine/core";
import { getFieldError } from "../../editing/index.ts";
import { PlusIcon } from "../../parts/icons.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { CrossButton } from "./handle.tsx";
import styles from "./look.module.css";
import type { LinkValues, PageValues } from "./page-values.ts";
import type { PageEditor } from "./use-page-editor.ts";
import { words } from "./words.ts";

interface FrameFieldsProps {
  readonly editor: PageEditor;
  readonly error: unknown;
}

interface LinkListProps extends FrameFieldsProps {
  readonly field: "headerLinks" | "footerLinks";
  readonly max: number;
}

/** Edits the list of links in the header or footer of a status page. */
function LinkList({ editor, error, field, max }: LinkListProps) {
  const label = words[field];
  const links = editor.values[field];
  const set = (next: readonly LinkValues[]) => editor.change({ [field]: next });
  const change = (index: number, more: Partial<LinkValues>) =>
    set(links.map((link, at) => (at === index ? { ...link, ...more } : link)));
  return (
    <Stack as="fieldset" gap={2} className={styles.links}>
      <legend>{label}</legend>
      {links.map(({ name, url }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a link has no id
        <div key={index} className={styles.link}>
          <TextInput
            aria-label={words.linkName(label, index + 1)}
            placeholder={words.linkNamePlaceholder}
            value={name}
            maxLength={60}
            required
            error={getFieldError(error, `${field}.${index}.name`)}
            onChange={({ currentTarget }) => change(index, { name: currentTarget.value })}
          />
          <TextInput
            aria-label={words.linkUrl(label, index + 1)}
            placeholder={words.linkUrlPlaceholder}
            value={url}
            maxLength={2_048}
            required
            inputMode="url"
            error={getFieldError(error, `${field}.${index}.url`)}
            onChange={({ currentTarget }) => change(index, { url: currentTarget.value })}
          />
          <CrossButton
            label={words.removeLink(label, index + 1)}
            onClick={() => set(links.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <div>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<PlusIcon size={16} />}
          disabled={links.length >= max}
          aria-label={`${words.addLink}: ${label}`}
          onClick={() => set([...links, { name: "", url: "" }])}
        >
          {words.addLink}
        </Button>
      </div>
    </Stack>
  );
}

const lengths = [30, 90, 365] as const;

export function FrameFields({ editor, error }: FrameFieldsProps) {
  const { values, change } = editor;
  return (
    <>
      <Radio.Group
        label={words.historyDays}
        value={String(values.historyDays)}
        onChange={(value) => change({ historyDays: Number(value) as PageValues["historyDays"] })}
      >
        <Row gap={6} className={styles.choices}>
          {lengths.map((days) => (
            <Radio key={days} value={String(days)} label={words.historyLengths[days]} />
          ))}
        </Row>
      </Radio.Group>
      <LinkList editor={editor} error={error} field="headerLinks" max={5} />
      <LinkList editor={editor} error={error} field="footerLinks" max={10} />
      <Textarea
        label={words.footerText}
        description={words.footerTextHint}
        value={values.footerText}
        maxLength={1_000}
        rows={2}
        error={getFieldError(error, "footerText")}
        onChange={({ currentTarget }) => change({ footerText: currentTarget.value })}
      />
    </>
  );
}
