import type { IncomingHttpHeaders } from 'node:http';

/**
 * Returns for how many seconds a response may be cached, from its headers. `0` if it must not be cached, `undefined` if
 * the headers do not determine it. RFC 9111 §4.2
 */
export function freshnessOf(headers: IncomingHttpHeaders): number | undefined {
  const { 'cache-control': control = '', age, date, expires } = headers;
  const directives = new Map(
    control
      .toLowerCase()
      .split(',')
      .map((directive) => {
        const [name = '', value = ''] = directive.trim().split('=', 2);
        return [name.trim(), value.trim().replaceAll('"', '')] as const;
      }),
  );
  if (directives.has('no-store') || directives.has('no-cache') || directives.has('private')) return 0;
  const seconds = directives.get('s-maxage') ?? directives.get('max-age');
  if (seconds !== undefined) return /^\d{1,10}$/.test(seconds) ? Math.max(0, Number(seconds) - (Number(age) || 0)) : 0;
  if (expires === undefined) return undefined;
  const span = (Date.parse(expires) - (date === undefined ? Date.now() : Date.parse(date))) / 1000;
  return Number.isFinite(span) ? Math.max(0, span) : 0;
}
