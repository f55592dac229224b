import { describe, expect, it } from '@jest/globals';

import { fieldsOf } from '../../../src/cli/client-options.js';
import { readCommand } from '../../../src/cli/read-command.js';

describe('nest-oauth2 clients create --set', () => {
  const fields = (set: string) => fieldsOf(readCommand(['clients', 'create', '--set', set]).args);

  it('says what is wrong without the value, which may be a secret', () => {
    expect(() => fields('secret=hunter2')).toThrow('`--set secret=…` must be a field and its value as JSON');
    expect(() => fields('hunter2')).toThrow(/^`--set` must be a field and its value as JSON/);
  });

  it('takes a name that every object has for a field like any other', () => {
    const given = fields('__proto__={"retiredAt":1}');
    expect(Object.getPrototypeOf(given)).toBe(Object.prototype);
    expect(given['retiredAt']).toBeUndefined();
  });
});
