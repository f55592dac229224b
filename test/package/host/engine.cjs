const { askEngine } = require('./grant.cjs');

void askEngine(require('nest-oauth2/server'), require('nest-oauth2/stores/memory')).then((answer) =>
  console.log(JSON.stringify(answer)),
);
