// Reads an answer by the types that openapi-typescript makes of the service's own description.
import type { paths } from "./hub";

type Answer = paths["/query/run"]["post"]["responses"]["200"]["content"]["application/json"];

export function chunkOf(answer: Answer): string {
  return answer.citations[0].chunk_id;
}
