import { Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
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
    <div className={styles.notify} data-on={isOn || undefined}>
      {pages.length === 0 && <p className={styles.warning}>{words.noPage}</p>}
      {pages.length > 0 && subscribers === 0 && <p className={styles.hint}>{words.notifyNobody}</p>}
      {subscribers > 0 && (
        <>
          <ul className={styles.audience}>
            {pages.map((page) => (
              <li key={page.statusPageId}>
                {words.audience(page.name, page.EMAIL + page.WEBHOOK + page.SLACK)}
              </li>
            ))}
          </ul>
          <Switch
            label={words.notify(subscribers)}
            description={isOn ? words.notifyOn(subscribers) : words.notifyOff}
            checked={isOn}
            disabled={!isKnown}
            onChange={(event) => onChange(event.currentTarget.checked)}
          />
        </>
      )}
    </div>
  );
}
