import { Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Callout } from "../../parts/blocks.tsx";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { audienceQuery } from "../queries.ts";
import { composerWords as words } from "../words.ts";
import styles from "./composer.module.css";

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
