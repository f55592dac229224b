import { InvalidArgumentError } from '../../errors/index.js';
import type { RunScript } from './connection.js';
import { LIST_AFTER } from './scripts.js';

/** A page of the IDs in lists of grants. */
interface ListPage {
  /** The cursor of each ID, in the order of the list. */
  cursors: Map<string, string>;
  /** The cursor of the next page. If omitted, this is the last page. */
  next?: string;
}

/**
 * Reads a page of IDs, list by list and in the order of their scores. The last page of each list may be short. A cursor
 * has the index of the list, and the score and ID of an entry.
 * @throws {InvalidArgumentError} If `after` is not a cursor.
 */
export async function readPage(
  run: RunScript,
  lists: readonly string[],
  after: string | undefined,
  limit: number,
): Promise<ListPage> {
  const [, number, ...found] = /^(\d+):(?:(\d+(?:\.\d+)?(?:e\+\d+)?):(.+))?$/s.exec(after ?? '0:') ?? [];
  const [index, position] = [Number(number), found.filter((text) => text !== undefined)];
  const list = lists[index];
  if (list === undefined) {
    throw new InvalidArgumentError('Invalid argument: `after` must be the `next` of the previous page');
  }
  const flat = (await run(LIST_AFTER, list, String(limit), ...position)) as string[];
  const ids = flat.filter((_, at) => at % 2 === 0);
  const cursors = new Map(ids.map((id, at) => [id, `${index}:${flat[2 * at + 1]}:${id}`]));
  if (ids.length === limit) return { cursors, next: cursors.get(ids.at(-1)!)! };
  return index + 1 < lists.length ? { cursors, next: `${index + 1}:` } : { cursors };
}
