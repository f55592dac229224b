import { describe, expect, it } from '@jest/globals';

import { fieldsOf } from '../../../src/cli/client-options.js';
import { readCommand } from '../../../src/cli/read-command.js';

describe('nest-oauth2 clients create --set', () => {
  const fields = (set: string) => fieldsOf(readCommand(['clients', 'create', '--set', set]).args);

  it('reports a wrong argument without its value, which may be a secret', () => {
    expect(() => fields('secret=hunter2')).toThrow('`--set secret=…` must be a field and its value as JSON');
    expect(() => fields('hunter2')).toThrow(/^`--set` must be a field and its value as JSON/);
  });

  it('accepts `__proto__` like any other field name, without changing the prototype', () => {
    const given = fields('__proto__={"retiredAt":1}');
    expect(Object.getPrototypeOf(given)).toBe(Object.prototype);
    expect(given['retiredAt']).toBeUndefined();
  });
});
