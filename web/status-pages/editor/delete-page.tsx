import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, send } from "../../api/client.ts";
import { useDeletion } from "../../api/use-deletion.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { TrashIcon } from "../../parts/icons.tsx";
import { showNotice } from "../../parts/notices.tsx";
import type { StatusPage } from "../page-types.ts";
import { overviewsQuery, pageQuery } from "../queries.ts";
import { words } from "../words.ts";

interface DeletePageProps {
  readonly page: StatusPage;
  readonly onGone: () => void;
}

export function DeletePage({ page, onGone }: DeletePageProps) {
  const [isConfirming, setConfirming] = useState(false);
  const { data: overviews } = useQuery(overviewsQuery);
  const navigate = useNavigate();
  const overview = overviews?.get(page.id);
  const remove = useDeletion({
    of: [pageQuery(page.id).queryKey, ["subscriptions", "of-page", page.id]],
    send: () => {
      const params = { path: { statusPageId: page.id } };
      return send(api.DELETE("/v1/status-pages/{statusPageId}", { params }));
    },
    leave: () => {
      onGone();
      setConfirming(false);
      showNotice({ text: words.deleted(page.name) });
      return navigate({ to: "/status-pages", ignoreBlocker: true });
    },
    renew: [["status-pages"]],
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <>
      <Button
        variant="outline"
        color="red"
        leftSection={<TrashIcon size={16} />}
        disabled={overview === undefined}
        onClick={() => setConfirming(true)}
      >
        {words.delete}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming && overview !== undefined}
        title={words.deleteTitle(page.name)}
        action={words.deleteAction}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onCancel={() => setConfirming(false)}
      >
        {overview && (
          <>
            <p>{words.deleteText(overview.address)}</p>
            <p>{words.deleteLosses(overview.subscriberCount)}</p>
            <p>{words.deleteKept(overview.serviceCount, overview.openIncidentCount)}</p>
          </>
        )}
      </ConfirmDialog>
    </>
  );
}
