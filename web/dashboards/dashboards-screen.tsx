import { Button, Modal, TextInput } from "@mantine/core";
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { getFieldError, getFormError, useDraft } from "../editing/index.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { PlusIcon } from "../parts/icons.tsx";
import { ScreenBody, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { suggestUrl } from "../parts/suggest-url.ts";
import textStyles from "../parts/text.module.css";
import styles from "./dashboards.module.css";
import type { Dashboard } from "./queries.ts";
import { addressOf, dashboardsQuery } from "./queries.ts";
import { words } from "./words.ts";

/**
 * Creates a dashboard. Its URL is derived from the name, with a number appended if the URL is
 * already taken.
 */
async function createDashboard(header: string) {
  // Members need no key, and a key that nobody has copied helps nobody.
  const body = { header, keys: false };
  const label = suggestUrl(header);
  const wanted = [label, ...[2, 3, 4, 5].map((number) => `${label.slice(0, 60)}-${number}`)];
  for (const customUrl of label === "" ? [] : wanted) {
    try {
      return await send(api.POST("/v1/dashboards", { body: { ...body, customUrl } }));
    } catch (error) {
      // If the URL is taken or invalid, the next candidate is tried. Any other error is thrown.
      const isAddress = error instanceof ApiError && [400, 409].includes(error.status);
      if (
        !isAddress ||
        (error.status === 400 && !(error.validation?.keys ?? []).includes("customUrl"))
      )
        throw error;
    }
  }
  return send(api.POST("/v1/dashboards", { body }));
}

function NewDashboardForm() {
  const [header, setHeader, forget] = useDraft("dashboard.new", "");
  const navigate = useNavigate();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: () => createDashboard(header.trim()),
    onSuccess: async ({ dashboardId }) => {
      forget();
      void renewQueries(client, ["dashboards"]);
      showNotice({ text: words.created(header.trim()) });
      await navigate({ to: "/edit-dashboard/$dashboardId", params: { dashboardId } });
    },
  });
  const other = getFormError(create.error, ["header"]);
  return (
    <Stack
      as="form"
      gap={4}
      onSubmit={(event) => {
        event.preventDefault();
        if (!create.isPending) create.mutate();
      }}
    >
      <TextInput
        label={words.labels.header}
        description={words.newHint}
        value={header}
        maxLength={255}
        required
        data-autofocus
        error={getFieldError(create.error, "header")}
        onChange={({ currentTarget }) => setHeader(currentTarget.value)}
      />
      {other && <ErrorPanel error={other} />}
      <div>
        <Button type="submit" loading={create.isPending}>
          {words.create}
        </Button>
      </div>
    </Stack>
  );
}

function AddDashboard() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button leftSection={<PlusIcon size={16} />} onClick={() => setOpen(true)}>
        {words.add}
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={words.add}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <NewDashboardForm />
      </Modal>
    </>
  );
}

function describeChoice({ tags, useTagsAndOperator }: Dashboard): string {
  if (tags.length === 0) return words.all;
  return useTagsAndOperator ? words.allTags(tags) : words.anyTag(tags);
}

function DashboardRow({ dashboard }: { readonly dashboard: Dashboard }) {
  const { dashboardId, header, isPrivate } = dashboard;
  const address = addressOf(dashboard);
  return (
    <li className={`${listStyles.row} ${styles.row}`}>
      <Link
        to="/edit-dashboard/$dashboardId"
        params={{ dashboardId }}
        className={textStyles.strong}
      >
        <bdi>{header}</bdi>
      </Link>
      <a href={address} target="_blank" rel="noopener">
        {address}
      </a>
      <span className={textStyles.muted}>
        <bdi>{describeChoice(dashboard)}</bdi>
      </span>
      <span className={textStyles.muted}>{isPrivate ? words.private : words.public}</span>
    </li>
  );
}

function DashboardsScreen() {
  const mayWrite = useMay("write");
  const { data: dashboards } = useSuspenseQuery(dashboardsQuery);
  const hasSome = dashboards.length > 0;
  return (
    <>
      <PageHeader title={words.title} actions={mayWrite && hasSome && <AddDashboard />} />
      <ScreenBody>
        {!hasSome && (
          <EmptyState title={words.empty}>
            <p>{words.emptyHint}</p>
            {mayWrite && <AddDashboard />}
          </EmptyState>
        )}
        {hasSome && (
          <ul className={listStyles.list}>
            {dashboards.map((dashboard) => (
              <DashboardRow key={dashboard.dashboardId} dashboard={dashboard} />
            ))}
          </ul>
        )}
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/dashboards")({ component: DashboardsScreen });
