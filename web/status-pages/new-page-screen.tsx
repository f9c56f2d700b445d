import { Button, Switch, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, useNavigate } from "@tanstack/react-router";
import { useId } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { getFieldError, getFormError, useDraft } from "../editing/index.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { FormLayout, Row, ScreenBody } from "../parts/layout.tsx";
import { AddressLink } from "../parts/links.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { suggestUrl } from "../parts/suggest-url.ts";
import { words } from "./words.ts";

interface NewPage {
  readonly name: string;
  /** Typed path of the page; `null` while the path is derived from the name. */
  readonly url: string | null;
  readonly isPrivate: boolean;
}

const start: NewPage = { name: "", url: null, isPrivate: false };

function useCreate(onDone: () => void) {
  const navigate = useNavigate();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ name, url, isPrivate }: NewPage) => {
      const body = {
        name: name.trim(),
        url: url ?? suggestUrl(name),
        isPrivate,
        cards: [{ name: words.new.firstCard }],
      };
      return send(api.POST("/v1/status-pages", { body }));
    },
    onSuccess: async (page) => {
      onDone();
      void renewQueries(client, ["status-pages"]);
      showNotice({ text: words.new.created(page.name) });
      await navigate({
        to: "/status-pages/$statusPageId/editor",
        params: { statusPageId: page.id },
      });
    },
  });
}

function NewPageScreen() {
  const mayWrite = useMay("write");
  const formId = useId();
  const [draft, setDraft, forget] = useDraft("status-page.new", start);
  const create = useCreate(forget);
  const url = draft.url ?? suggestUrl(draft.name);
  const change = (more: Partial<NewPage>) => setDraft({ ...draft, ...more });
  const other = getFormError(create.error, ["name", "url"]);
  return (
    <>
      <PageHeader title={words.new.title} />
      <ScreenBody>
        {!mayWrite && <p>{words.mayNot}</p>}
        {mayWrite && (
          <FormLayout
            id={formId}
            onSubmit={(event) => {
              event.preventDefault();
              if (!create.isPending) create.mutate(draft);
            }}
          >
            <TextInput
              label={words.name}
              description={words.new.nameHint}
              value={draft.name}
              maxLength={255}
              required
              data-autofocus
              error={getFieldError(create.error, "name")}
              onChange={({ currentTarget }) => change({ name: currentTarget.value })}
            />
            <TextInput
              label={words.address}
              description={words.new.urlHint(`${location.host}/status/${url || "…"}/`)}
              value={url}
              maxLength={63}
              required
              spellCheck={false}
              autoCapitalize="none"
              error={getFieldError(create.error, "url")}
              onChange={({ currentTarget }) => change({ url: currentTarget.value })}
            />
            <Switch
              label={words.new.private}
              description={words.new.privateHint}
              checked={draft.isPrivate}
              onChange={({ currentTarget }) => change({ isPrivate: currentTarget.checked })}
            />
            {other && <ErrorPanel error={other} />}
            <Row>
              <Button type="submit" loading={create.isPending}>
                {words.new.create}
              </Button>
              <Button component={AddressLink} href="/status-pages" variant="default">
                {words.new.cancel}
              </Button>
            </Row>
          </FormLayout>
        )}
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/status-pages/new")({ component: NewPageScreen });
