import { Radio, Textarea, TextInput } from "@mantine/core";
import { Row, Stack } from "../../parts/layout.tsx";
import { composerWords as words } from "../words.ts";
import styles from "./composer.module.css";
import { type Composition, toIsoTime, toLocalText } from "./values.ts";

interface WhenFieldProps {
  readonly composition: Composition;
  readonly onChange: (change: Partial<Composition>) => void;
  /** Whether an end can be entered, as for an incident but not for an update. */
  readonly hasEnd: boolean;
  readonly fault?: string | undefined;
}

function formatUtc(text: string): string | undefined {
  const at = toIsoTime(text);
  return at === undefined ? undefined : words.utc(at.slice(0, 16).replace("T", " "));
}

/** Selects "now" or a past time. */
export function WhenField({ composition, onChange, hasEnd, fault }: WhenFieldProps) {
  const { when, startedAt, endedAt, endText } = composition;
  const choose = (value: string) => {
    if (value !== "past") return onChange({ when: "now" });
    onChange({ when: "past", startedAt: startedAt || toLocalText(Date.now()) });
  };
  return (
    <Stack gap={4}>
      <Radio.Group label={words.when} value={when} onChange={choose}>
        <Row gap={4} className={styles.radios}>
          <Radio value="now" label={words.now} />
          <Radio value="past" label={words.past} />
        </Row>
      </Radio.Group>
      {when === "past" && (
        <Row gap={4} align="start" className={styles.moments}>
          <TextInput
            type="datetime-local"
            label={hasEnd ? words.startedAt : words.at}
            required
            value={startedAt}
            description={formatUtc(startedAt)}
            error={fault}
            onChange={(event) => onChange({ startedAt: event.currentTarget.value })}
          />
          {hasEnd && (
            <TextInput
              type="datetime-local"
              label={words.endedAt}
              value={endedAt}
              description={formatUtc(endedAt) ?? words.endedHint}
              onChange={(event) => onChange({ endedAt: event.currentTarget.value })}
            />
          )}
        </Row>
      )}
      {when === "past" && hasEnd && endedAt !== "" && (
        <Textarea
          label={words.endText}
          placeholder={words.defaultEnd}
          autosize
          minRows={2}
          maxLength={20_000}
          value={endText}
          onChange={(event) => onChange({ endText: event.currentTarget.value })}
        />
      )}
    </Stack>
  );
}
