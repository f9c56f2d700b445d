import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { createLazyRoute, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { downloadFile } from "../../api/download.ts";
import { useMay } from "../../api/session.ts";
import buttonStyles from "../../parts/buttons.module.css";
import layoutStyles from "../../parts/layout.module.css";
import { Row, ScreenBody } from "../../parts/layout.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { useTypedText } from "../../parts/use-typed-text.ts";
import styles from "./audience.module.css";
import type { AudienceSearch } from "./audience-search.ts";
import { Choices } from "./choices.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { Messages } from "./messages.tsx";
import { People } from "./people.tsx";
import { countsQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.subscribers;
const from = "/signed-in/status-pages/$statusPageId/subscribers" as const;
const typingMs = 300;

interface SearchFieldProps {
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

/** Applies the search when the user pauses typing. */
function SearchField({ value, onSearch }: SearchFieldProps) {
  const [text, setText] = useTypedText(value, typingMs, onSearch);
  return (
    <TextInput
      className={layoutStyles.grow}
      label={own.search}
      type="search"
      maxLength={254}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}

function Actions({ statusPageId }: { readonly statusPageId: string }) {
  const mayWrite = useMay("write");
  const [isImporting, setImporting] = useState(false);
  const download = useMutation({
    mutationFn: () =>
      downloadFile(`/v1/status-pages/${statusPageId}/subscriptions/export`, "subscribers.csv"),
    onSuccess: () => showNotice({ text: own.exported }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <Row>
      {mayWrite && <Button onClick={() => setImporting(true)}>{own.add}</Button>}
      <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
        {own.export}
      </Button>
      {isImporting && (
        <ImportDialog statusPageId={statusPageId} onClose={() => setImporting(false)} />
      )}
    </Row>
  );
}

function PeopleFilters({ statusPageId, search, onChange }: FiltersProps) {
  const { data: counts } = useQuery(countsQuery(statusPageId));
  return (
    <Row gap={4} align="end" className={styles.bar}>
      <SearchField
        value={search.search ?? ""}
        onSearch={(text) => {
          const { search: _before, ...rest } = search;
          onChange({ ...rest, ...(text !== "" && { search: text }) });
        }}
      />
      <Choices
        label={own.filter}
        all={own.all}
        options={own.states}
        chosen={search.status}
        counts={counts}
        onChoose={(next) => {
          const { status: _before, ...rest } = search;
          onChange({ ...rest, ...(next !== undefined && { status: next }) });
        }}
      />
      <Actions statusPageId={statusPageId} />
    </Row>
  );
}

interface FiltersProps {
  readonly statusPageId: string;
  readonly search: AudienceSearch;
  readonly onChange: (search: AudienceSearch) => void;
}

function SubscribersScreen() {
  const { statusPageId } = useParams({ from });
  const search = useSearch({ from });
  const navigate = useNavigate();
  const change = (next: AudienceSearch) =>
    void navigate({
      to: "/status-pages/$statusPageId/subscribers",
      params: { statusPageId },
      search: next,
      replace: true,
    });
  const isMessages = search.view === "messages";
  return (
    <ScreenBody className={styles.body}>
      <h2 className="unseen">{own.title}</h2>
      <Row as="fieldset" gap={1} aria-label={own.views}>
        {([false, true] as const).map((isOther) => (
          <button
            key={`${isOther}`}
            type="button"
            className={buttonStyles.chip}
            aria-pressed={isMessages === isOther}
            onClick={() => change(isOther ? { view: "messages" } : {})}
          >
            {isOther ? own.messages : own.people}
          </button>
        ))}
      </Row>
      {isMessages ? (
        <Messages statusPageId={statusPageId} search={search} onChange={change} />
      ) : (
        <>
          <PeopleFilters statusPageId={statusPageId} search={search} onChange={change} />
          <People statusPageId={statusPageId} search={search} />
        </>
      )}
    </ScreenBody>
  );
}

export const route = createLazyRoute(from)({ component: SubscribersScreen });
