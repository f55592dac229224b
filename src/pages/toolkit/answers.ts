import type { PageData, PageName } from '../render/page-renderer.js';

/** The answer of a page that sends the browser elsewhere, with status 303. */
export class PageRedirect {
  /** @param location a path on this server, or a URL that the page has verified */
  constructor(readonly location: string) {}
}

/**
 * The answer of a form that has failed. The page is shown again with the message `name`. The status is that of the
 * page's `problems`.
 */
export class PageProblem<Name extends string = string> {
  constructor(readonly name: Name) {}
}

/** The answer that shows one of the ready-made pages. */
export class ReadyMadePage {
  /** @param headers further headers of the response */
  constructor(
    readonly name: PageName,
    readonly data: object,
    readonly status: number,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** Returns the answer that shows a ready-made page. */
export const readyMade = <Name extends PageName>(
  name: Name,
  data: PageData<Name>,
  { status = 200, headers }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): ReadyMadePage => new ReadyMadePage(name, data, status, headers);

/** The answer that the browser saves as a file. */
export class PageDownload {
  /**
   * @param name the name of the file, of letters, digits, `-` and `.`
   * @param type the media type, such as `application/json`
   */
  constructor(
    readonly name: string,
    readonly type: string,
    readonly text: string,
  ) {}
}

/** An answer that does not show the page itself. */
export type PageAnswer = PageRedirect | ReadyMadePage | PageDownload;

export const isAnswer = (value: unknown): value is PageAnswer =>
  value instanceof PageRedirect || value instanceof ReadyMadePage || value instanceof PageDownload;
