const { signAndCheck } = require('./jose.cjs');

void signAndCheck(
  require('nest-oauth2/server'),
  require('nest-oauth2/stores/memory'),
  require('nest-oauth2/jose'),
).then((answer) => console.log(JSON.stringify(answer)));
