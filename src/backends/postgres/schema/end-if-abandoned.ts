/**
 * Returns statements of plpgsql after which the server ends the transaction if its client is gone. It notices by the time
 * without a statement, and by looking at the connection during a long statement on servers that can do so. If the role or the
 * database has set a time already, that one is kept.
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
