-- What the begin of an attempt and the deletion of an operation mean for its output. Created with the first output of a file,
-- because a trigger on a column makes each change of that column half as expensive again, also where its condition does not hold.

create trigger if not exists arr_output_begins after update of token on arr_operations
when new.has_output = 1 and new.token is not null and new.token is not old.token
begin
  insert into arr_output_discards (operation_id, epoch, first, every_epoch)
  select operation_id, epoch, checkpoint_count, 0 from arr_output_heads
  where operation_id = new.id and count > checkpoint_count;
  update arr_output_heads set epoch = epoch + 1, count = checkpoint_count, bytes = checkpoint_bytes,
    segments = case when json_extract(segments, '$[#-1][1]') >= checkpoint_count then json_remove(segments, '$[#-1]')
      else segments end
  where operation_id = new.id;
end;

create trigger if not exists arr_output_leaves after delete on arr_operations when old.has_output = 1
begin
  insert into arr_output_discards (operation_id, epoch, first, every_epoch) values (old.id, 0, 0, 1);
  delete from arr_output_heads where operation_id = old.id;
end;
