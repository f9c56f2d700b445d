import { NativeSelect, Radio, Switch, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Callout } from "../../parts/blocks.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { audienceQuery } from "../queries.ts";
import { statuses } from "../search.ts";
import { words as moduleWords, composerWords as words } from "../words.ts";
import styles from "./composer.module.css";
import { type Composition, toIsoTime, toLocalText } from "./values.ts";

interface NotifyFieldProps {
  readonly serviceIds: readonly string[];
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** The number of subscribers must be loaded before the switch can be used. */
export function NotifyField({ serviceIds, isOn, onChange }: NotifyFieldProps) {
  const { data, isError, isPlaceholderData } = useQuery(audienceQuery(serviceIds));
  if (serviceIds.length === 0) return <p className={styles.hint}>{words.notifyChoose}</p>;
  if (data === undefined) {
    return <p className={styles.hint}>{isError ? words.notifyFailed : "…"}</p>;
  }
  const { subscribers, pages } = data;
  const isKnown = !isPlaceholderData && !isError;
  return (
    <Stack className={styles.notify} data-on={isOn || undefined}>
      {pages.length === 0 && (
        <Callout as="p" tone="fair">
          {words.noPage}
        </Callout>
      )}
      {pages.length > 0 && subscribers === 0 && <p className={styles.hint}>{words.notifyNobody}</p>}
      {subscribers > 0 && (
        <>
          <Stack as="ul" gap={0} className={`${textStyles.muted} ${textStyles.wrap}`}>
            {pages.map((page) => (
              <li key={page.statusPageId}>
                {words.audience(page.name, page.EMAIL + page.WEBHOOK + page.SLACK)}
              </li>
            ))}
          </Stack>
          <Switch
            label={words.notify(subscribers)}
            description={isOn ? words.notifyOn(subscribers) : words.notifyOff}
            checked={isOn}
            disabled={!isKnown}
            onChange={(event) => onChange(event.currentTarget.checked)}
          />
        </>
      )}
    </Stack>
  );
}

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

interface WordsFieldsProps {
  readonly composition: Composition;
  readonly onChange: (change: Partial<Composition>) => void;
  readonly fault?: string | undefined;
}

/** Status and message of an update. */
export function WordsFields({ composition, onChange, fault }: WordsFieldsProps) {
  return (
    <>
      <NativeSelect
        label={words.status}
        value={composition.status}
        onChange={(event) =>
          onChange({
            status: statuses.find((one) => one === event.currentTarget.value) ?? "INVESTIGATING",
          })
        }
        data={statuses.map((value) => ({ value, label: moduleWords.statusMeans[value] }))}
      />
      <Textarea
        label={words.message}
        description={words.messageHint}
        required
        autosize
        minRows={5}
        maxRows={20}
        maxLength={20_000}
        value={composition.description}
        error={fault}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
    </>
  );
}
