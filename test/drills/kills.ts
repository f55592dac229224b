/** The number of kills for each database: the variable `DRILL_KILLS`. */
export const KILLS = Number(process.env['DRILL_KILLS'] ?? 50);
