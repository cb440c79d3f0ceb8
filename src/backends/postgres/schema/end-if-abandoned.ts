/**
 * Returns PL/pgSQL statements that make the server end the current transaction if its client is gone. The server
 * notices this after `idleMs` milliseconds without a statement. During a long statement, it also checks the connection
 * every second, if it supports this. Limits that the role or the database already sets are kept.
 */
export function endIfAbandoned(idleMs: number): string {
  return `if current_setting('idle_in_transaction_session_timeout') = '0' then
    perform set_config('idle_in_transaction_session_timeout', '${idleMs}', true);
  end if;
  if current_setting('client_connection_check_interval', true) = '0' then
    begin
      perform set_config('client_connection_check_interval', '1000', true);
    exception when invalid_parameter_value then null;
    end;
  end if;`;
}
