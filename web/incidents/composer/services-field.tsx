import { Checkbox, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { AddressLink } from "../../parts/links.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import textStyles from "../../parts/text.module.css";
import { serviceStatusesQuery } from "../queries.ts";
import { composerWords as words } from "../words.ts";
import styles from "./composer.module.css";

interface ServicesFieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
  readonly fault?: string | undefined;
}

/** Minimum number of services for which a search field is shown. */
const searchFrom = 8;

/** Selects services. Each service is listed with its current state. */
export function ServicesField({ label, hint, value, onChange, fault }: ServicesFieldProps) {
  const { data, error, refetch } = useQuery(serviceStatusesQuery);
  const [search, setSearch] = useState("");
  const chosen = new Set(value);
  const wanted = search.trim().toLowerCase();
  const shown = (data ?? []).filter(
    ({ name, serviceId }) => chosen.has(serviceId) || name.toLowerCase().includes(wanted),
  );
  const toggle = (id: string) =>
    onChange(chosen.has(id) ? value.filter((one) => one !== id) : [...value, id]);
  return (
    <Stack as="fieldset" gap={2}>
      <legend className={textStyles.legend}>{label}</legend>
      {hint !== undefined && <p className={textStyles.muted}>{hint}</p>}
      {error && data === undefined && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {!error && data === undefined && <Skeleton rows={3} />}
      {data?.length === 0 && (
        <p className={textStyles.muted}>
          {words.noServices} <AddressLink href="/status-pages">{words.addServices}</AddressLink>
        </p>
      )}
      {data !== undefined && data.length >= searchFrom && (
        <TextInput
          type="search"
          aria-label={words.searchServices}
          placeholder={words.searchServices}
          maxLength={100}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <Stack as="ul" gap={1} className={styles.choices}>
        {shown.map(({ serviceId, name, status }) => (
          <li key={serviceId}>
            <Checkbox
              checked={chosen.has(serviceId)}
              onChange={() => toggle(serviceId)}
              label={
                <Row as="span" inline className={textStyles.wrap}>
                  <bdi>{name}</bdi>
                  <StateMark state={status} size={14} />
                </Row>
              }
            />
          </li>
        ))}
      </Stack>
      {fault !== undefined && <p className={textStyles.bad}>{fault}</p>}
    </Stack>
  );
}
