import { Button, Checkbox, Popover, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import buttonStyles from "../../parts/buttons.module.css";
import { IconButton } from "../../parts/buttons.tsx";
import { CloseIcon, DownIcon, RenewIcon } from "../../parts/icons.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { showNotice } from "../../parts/notices.tsx";
import textStyles from "../../parts/text.module.css";
import { showFailure } from "./bulk.ts";
import styles from "./list-menus.module.css";
import { type SavedView, viewsQuery } from "./queries.ts";
import { columns, type ListSearch, parseListSearch, toggleColumn } from "./search.ts";
import { columnWords, words } from "./words.ts";

interface MenuProps {
  readonly search: ListSearch;
  readonly onChange: (search: ListSearch) => void;
}

export function ColumnsMenu({ search, onChange }: MenuProps) {
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        <Button size="xs" variant="default" rightSection={<DownIcon size={14} />}>
          {words.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={words.columns}>
        <Stack gap={2}>
          {columns.map((column) => (
            <Checkbox
              key={column}
              label={columnWords[column]}
              checked={!search.hide?.includes(column)}
              onChange={() => onChange(toggleColumn(search, column))}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function useViewChanges() {
  const client = useQueryClient();
  const onSettled = () => renewQueries(client, ["views"]);
  const save = useMutation({
    mutationFn: (body: { name: string; query: string; shared: boolean }) =>
      send(api.POST("/v1/views", { body })),
    onSuccess: ({ name }) => showNotice({ text: words.viewSaved(name) }),
    onError: showFailure,
    onSettled,
  });
  const remove = useMutation({
    mutationFn: ({ id }: SavedView) =>
      send(api.DELETE("/v1/views/{id}", { params: { path: { id } } })),
    onSuccess: (_, { name }) => showNotice({ text: words.viewDeleted(name) }),
    onError: showFailure,
    onSettled,
  });
  const replace = useMutation({
    mutationFn: ({ id, query }: Pick<SavedView, "id" | "query">) =>
      send(api.PUT("/v1/views/{id}", { params: { path: { id } }, body: { query } })),
    onSuccess: ({ name }) => showNotice({ text: words.viewSaved(name) }),
    onError: showFailure,
    onSettled,
  });
  return { save, remove, replace };
}

interface ViewListProps {
  readonly views: readonly SavedView[];
  readonly title: string;
  readonly mayChange: boolean;
  readonly onOpen: (view: SavedView) => void;
  /** Replaces the saved filters of the view with the current filters. */
  readonly onReplace: (view: SavedView) => void;
  readonly onDelete: (view: SavedView) => void;
}

function ViewList({ views, title, mayChange, ...on }: ViewListProps) {
  if (views.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className={`${textStyles.hint} ${textStyles.regular}`}>{title}</h2>
      <ul>
        {views.map((view) => (
          <Row as="li" nowrap gap={0} key={view.id}>
            <button type="button" className={buttonStyles.option} onClick={() => on.onOpen(view)}>
              <bdi>{view.name}</bdi>
            </button>
            {mayChange && (
              <>
                <IconButton
                  aria-label={words.replaceView(view.name)}
                  title={words.replaceView(view.name)}
                  onClick={() => on.onReplace(view)}
                >
                  <RenewIcon size={14} />
                </IconButton>
                <IconButton
                  aria-label={words.deleteView(view.name)}
                  title={words.deleteView(view.name)}
                  onClick={() => on.onDelete(view)}
                >
                  <CloseIcon size={14} />
                </IconButton>
              </>
            )}
          </Row>
        ))}
      </ul>
    </section>
  );
}

function SaveForm(props: { readonly onSave: (name: string, isShared: boolean) => void }) {
  const mayShare = useMay("write");
  const [name, setName] = useState("");
  const [isShared, setShared] = useState(false);
  return (
    <Stack
      as="form"
      gap={2}
      className={styles.save}
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() === "") return;
        props.onSave(name.trim(), isShared);
        setName("");
      }}
    >
      <TextInput
        label={words.viewName}
        value={name}
        maxLength={255}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {mayShare && (
        <Checkbox
          label={words.shareView}
          checked={isShared}
          onChange={(event) => setShared(event.currentTarget.checked)}
        />
      )}
      <Button type="submit" size="xs" disabled={name.trim() === ""}>
        {words.saveView}
      </Button>
    </Stack>
  );
}

export function ViewsMenu({ search }: Pick<MenuProps, "search">) {
  const [isOpen, setOpen] = useState(false);
  const { data: views = [] } = useQuery({ ...viewsQuery, enabled: isOpen });
  const { save, remove, replace } = useViewChanges();
  const mayWrite = useMay("write");
  const navigate = useNavigate();
  const { options } = useRouter();
  const open = (view: SavedView) => {
    setOpen(false);
    const parsed = options.parseSearch?.(`?${view.query}`) ?? {};
    void navigate({ to: "/checks", search: parseListSearch(parsed) });
  };
  const query = options.stringifySearch?.({ ...search }).replace(/^\?/, "") ?? "";
  const keep = (name: string, shared: boolean) => {
    save.mutate({ name, query, shared });
    setOpen(false);
  };
  const lists = {
    onOpen: open,
    onReplace: ({ id }: SavedView) => replace.mutate({ id, query }),
    onDelete: (view: SavedView) => remove.mutate(view),
  };
  const shared = views.filter((view) => view.shared);
  const own = views.filter((view) => !view.shared);
  return (
    <Popover position="bottom-end" opened={isOpen} onChange={setOpen} trapFocus>
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          rightSection={<DownIcon size={14} />}
          onClick={() => setOpen(!isOpen)}
        >
          {words.views}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={words.views}>
        <Stack className={styles.views}>
          {views.length === 0 && <p className={textStyles.hint}>{words.noViews}</p>}
          <ViewList {...lists} views={own} title={words.ownViews} mayChange />
          <ViewList {...lists} views={shared} title={words.sharedViews} mayChange={mayWrite} />
          <SaveForm onSave={keep} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
