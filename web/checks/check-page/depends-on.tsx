import { Button, Modal, TextInput } from "@mantine/core";
import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, send } from "../../api/client.ts";
import { useMay } from "../../api/session.ts";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { showNotice } from "../../parts/notices.tsx";
import styles from "./depends-on.module.css";
import { words } from "./words.ts";

const { dependsOn: said } = words;
const offered = 8;

const parentsQuery = (checkId: string) =>
  queryOptions({
    queryKey: ["checks", checkId, "parents"],
    queryFn: () => send(api.GET("/v1/checks/{id}/parents", { params: { path: { id: checkId } } })),
  });

const nameQuery = (id: string) =>
  queryOptions({
    queryKey: ["checks", id, "name"],
    queryFn: async () => {
      const { name } = await send(api.GET("/v1/checks/{id}", { params: { path: { id } } }));
      return name;
    },
    staleTime: 60_000,
  });

const foundQuery = (search: string) =>
  queryOptions({
    queryKey: ["checks", "list", "found", search],
    queryFn: ({ signal }) =>
      send(
        api.GET("/v1/check-overviews", {
          params: { query: { search, limit: offered, page: 1 } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** By their ids; the id stands where a name has not come. */
function useNames(ids: readonly string[]): readonly string[] {
  const answers = useQueries({ queries: ids.map((id) => nameQuery(id)) });
  return ids.map((id, place) => answers[place]?.data ?? id);
}

interface ChoiceListProps {
  readonly label: string;
  readonly action: string;
  readonly choices: readonly { readonly id: string; readonly name: string }[];
  readonly sayAction: (name: string) => string;
  readonly onChoose: (id: string) => void;
}

function ChoiceList({ label, action, choices, sayAction, onChoose }: ChoiceListProps) {
  return (
    <ul className={styles.list} aria-label={label}>
      {choices.map(({ id, name }) => (
        <li key={id}>
          <span>{name}</span>
          <Button
            size="xs"
            variant="default"
            aria-label={sayAction(name)}
            onClick={() => onChoose(id)}
          >
            {action}
          </Button>
        </li>
      ))}
    </ul>
  );
}

interface DialogProps {
  readonly checkId: string;
  readonly parentIds: readonly string[];
  readonly onClose: () => void;
}

function DependsOnDialog({ checkId, parentIds, onClose }: DialogProps) {
  const client = useQueryClient();
  const [ids, setIds] = useState(parentIds);
  const [search, setSearch] = useState("");
  const names = useNames(ids);
  const { data } = useQuery(foundQuery(search));
  const saving = useMutation({
    mutationFn: () =>
      send(
        api.PUT("/v1/checks/{id}/parents", {
          params: { path: { id: checkId } },
          body: { parentIds: [...ids] },
        }),
      ),
    onSuccess: async () => {
      onClose();
      showNotice({ text: said.saved });
      await client.invalidateQueries({ queryKey: ["checks", checkId, "parents"] });
    },
  });
  const isFree = (id: string) => id !== checkId && !ids.includes(id);
  const others = data?.entries.filter((one) => isFree(one.checkId)) ?? [];
  return (
    <Modal opened onClose={onClose} title={said.title} closeButtonProps={{ "aria-label": "Close" }}>
      <div className={styles.form}>
        <p>{said.text}</p>
        <ChoiceList
          label={said.chosen}
          action={said.remove}
          choices={ids.map((id, place) => ({ id, name: names[place] ?? id }))}
          sayAction={said.removeOne}
          onChoose={(id) => setIds(ids.filter((one) => one !== id))}
        />
        <TextInput
          label={said.search}
          data-autofocus
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <ChoiceList
          label={said.found}
          action={said.add}
          choices={others.map(({ checkId: id, name }) => ({ id, name }))}
          sayAction={said.addOne}
          onChoose={(id) => setIds([...ids, id])}
        />
        {saving.error && <ErrorPanel error={saving.error} />}
        <div>
          <Button loading={saving.isPending} onClick={() => saving.mutate()}>
            {said.save}
          </Button>
        </div>
      </div>
    </Modal>
  );
}

/** Which checks hold the alerts of this one while they fail. */
export function DependsOn({ checkId }: { readonly checkId: string }) {
  const mayWrite = useMay("write");
  const { data } = useQuery(parentsQuery(checkId));
  const [isOpen, setOpen] = useState(false);
  const parentIds = data?.parentIds ?? [];
  const names = useNames(parentIds);
  if (data === undefined || (parentIds.length === 0 && !mayWrite)) return null;
  return (
    <p className={styles.line}>
      <span>{parentIds.length === 0 ? said.none : said.some}</span>
      {parentIds.map((id, place) => (
        <Link key={id} to="/checks/$checkId" params={{ checkId: id }}>
          {names[place]}
        </Link>
      ))}
      {mayWrite && (
        <Button size="xs" variant="default" onClick={() => setOpen(true)}>
          {said.change}
        </Button>
      )}
      {isOpen && (
        <DependsOnDialog checkId={checkId} parentIds={parentIds} onClose={() => setOpen(false)} />
      )}
    </p>
  );
}
