import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Deletion, deleteThing } from "./deletion.ts";

interface DeletionOfScreen extends Deletion {
  readonly onError?: (error: Error) => void;
}

export function useDeletion({ onError, ...deletion }: DeletionOfScreen) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => deleteThing(client, deletion),
    ...(onError && { onError }),
  });
}
