import { beforeAll, describe, expect, it } from '@jest/globals';

type Cell = Record<'nest' | 'pm' | 'http' | 'node' | 'runner', string>;

interface Cells {
  VALUES: Record<keyof Cell, string[]>;
  selectCells(parameters: string[]): Cell[];
}

describe('the cells of npm run matrix', () => {
  let cells: Cells;

  beforeAll(async () => {
    const { href } = new URL('cells.js', import.meta.url);
    cells = (await import(href)) as Cells;
  });

  it('combine all values if there are no arguments', () => {
    const all = cells.selectCells([]);
    expect(all).toHaveLength(3 * 3 * 2 * 3 * 2);
    expect(new Set(all.map((cell) => JSON.stringify(cell))).size).toBe(all.length);
  });

  it('contain each value in the brief part, with both adapters, runners and one installation for each form of Nest', () => {
    const brief = cells.selectCells(['--brief']);
    const valuesOf = (name: keyof Cell, some = brief) => [...new Set(some.map((cell) => cell[name]))].toSorted();
    for (const [name, values] of Object.entries(cells.VALUES)) {
      expect(valuesOf(name as keyof Cell)).toEqual(values.toSorted());
    }
    for (const nest of cells.VALUES.nest) {
      const ofNest = brief.filter((cell) => cell.nest === nest);
      expect(valuesOf('http', ofNest)).toHaveLength(2);
      expect(valuesOf('runner', ofNest)).toHaveLength(2);
      expect(valuesOf('pm', ofNest)).toHaveLength(1);
    }
    const pairs = new Set(brief.map(({ http, runner }) => `${http} ${runner}`));
    expect(pairs.size).toBe(4);
  });

  it('are those of all filters', () => {
    expect(cells.selectCells(['nest=11-cjs,12', 'node=20', 'pm=npm', 'runner=jest', 'http=fastify'])).toEqual([
      { nest: '11-cjs', pm: 'npm', http: 'fastify', node: '20', runner: 'jest' },
      { nest: '12', pm: 'npm', http: 'fastify', node: '20', runner: 'jest' },
    ]);
  });

  it.each([
    ['version=20', 'Unknown argument: version=20'],
    ['--breif', 'Unknown argument: --breif'],
    ['node=18', 'Unknown value of node: 18. Use 20, 22, 24'],
    ['node', 'Unknown value of node'],
    ['node=', 'Unknown value of node'],
    ['constructor=20', 'Unknown argument: constructor=20'],
  ])('are not selected by the invalid argument %s', (parameter, message) => {
    expect(() => cells.selectCells([parameter])).toThrow(message);
  });

  it('are not selected by filters without a common cell', () => {
    expect(() => cells.selectCells(['--brief', 'nest=12', 'pm=npm'])).toThrow('No cell is selected');
  });
});
