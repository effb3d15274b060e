from hccl.manage.api import get_rank_id


def rank_of_this_card():
    return get_rank_id()
